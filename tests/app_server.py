"""The page's server on a free port, talked to over real HTTP."""

import contextlib
import socket
import threading

import httpx

from sentree.app.folder import Folder
from sentree.app.server import PageServer, routes

TOKEN = "a-token-for-tests"


class Running:
    """A server that runs in a thread."""

    def __init__(self, service, folder, words=str, **limits):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.service, self.folder = service, folder
        self.url = f"http://127.0.0.1:{self.port}"
        self.app = routes(service, Folder(folder), words)
        self.server = PageServer(self.app, TOKEN, self.port, **limits)
        self.thread = threading.Thread(
            target=self.server.run, kwargs={"sockets": [self.listener]}, daemon=True
        )
        self._visitors = contextlib.ExitStack()
        self.cookies = {f"sentree-{self.port}": TOKEN}

    def client(self):
        """Return who has the cookie."""
        return self._visitor(cookies=self.cookies)

    def stranger(self):
        """Return who has not."""
        return self._visitor()

    def _visitor(self, **options):
        made = httpx.Client(base_url=self.url, timeout=60, trust_env=False, verify=False, **options)
        return self._visitors.enter_context(made)

    def stop(self):
        """End, and tell whether it did."""
        self.server.should_exit = True
        self.thread.join(30)
        self._visitors.close()
        return not self.thread.is_alive()


@contextlib.contextmanager
def running(service, folder, **limits):
    """Give a server that runs, and end it."""
    server = Running(service, folder, **limits)
    server.thread.start()
    try:
        yield server
    finally:
        assert server.stop()
