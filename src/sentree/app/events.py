"""Server-sent events: every page that is open hears that there is something new."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

__all__ = ["Events"]

#: After so many seconds without news a stream says that it is alive; a dead one is noticed so.
PAUSE = 15.0
#: A page whose stream broke tries again after so many milliseconds.
AGAIN = 1000


class Events:
    """Streams of events, which end together.

    Parameters
    ----------
    subscribe : callable
        Takes what is called with each event, from any thread; returns what ends that.
    now : callable
        Returns the event of the present state, with which each stream begins: who was away, or
        connects again, has missed nothing.
    """

    def __init__(
        self,
        subscribe: Callable[[Callable[[Mapping[str, Any]], None]], Callable[[], None]],
        now: Callable[[], Mapping[str, Any]],
    ) -> None:
        self._subscribe, self._now = subscribe, now
        self._open: set[asyncio.Queue[Mapping[str, Any] | None]] = set()
        self._ended = False

    async def stream(self) -> AsyncIterator[str]:
        """Yield events as text until the page leaves or the server ends."""
        loop = asyncio.get_running_loop()
        news: asyncio.Queue[Mapping[str, Any] | None] = asyncio.Queue()
        unsubscribe = self._subscribe(
            lambda event: loop.call_soon_threadsafe(news.put_nowait, event)  # type: ignore[arg-type]
        )
        self._open.add(news)
        try:
            yield f"retry: {AGAIN}\n\n"
            event: Mapping[str, Any] | None = await asyncio.to_thread(self._now)
            while event is not None and not self._ended:
                yield f"event: state\ndata: {json.dumps(event, allow_nan=False)}\n\n"
                while (event := await self._next(news)) == {}:
                    yield ": nothing new\n\n"
        finally:
            self._open.discard(news)
            unsubscribe()

    async def _next(self, news: asyncio.Queue[Mapping[str, Any] | None]) -> Any:
        """Return the latest event, None at the end, or an empty one where nothing happens."""
        try:
            event = await asyncio.wait_for(news.get(), PAUSE)
        except TimeoutError:
            return {}
        while event is not None and not news.empty():
            event = news.get_nowait()
        return event

    def end(self) -> None:
        """End all streams, from the thread that runs them."""
        self._ended = True
        for news in self._open:
            news.put_nowait(None)
