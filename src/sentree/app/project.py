"""The file of a project: an SQLite database with the data's whereabouts and all that was said."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from getpass import getuser
from pathlib import Path
from typing import Any

from sentree import __version__
from sentree._util import files
from sentree.app.statements import Refused, Statement

__all__ = ["SUFFIX", "Project"]

SUFFIX = ".sentree-project"
#: Marks the files of projects ("sntr").
_APPLICATION = 0x736E7472


def _first_tables(db: sqlite3.Connection) -> None:
    """Make the tables of version 1."""
    db.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    db.execute("CREATE TABLE stored (key TEXT PRIMARY KEY, value BLOB NOT NULL)")
    db.execute(
        "CREATE TABLE statements (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, "
        "payload TEXT NOT NULL, origin TEXT NOT NULL, who TEXT NOT NULL, said_at TEXT NOT NULL, "
        "state TEXT NOT NULL CHECK (state IN ('active', 'undone', 'deleted')))"
    )
    db.execute(
        "CREATE TABLE actions (id INTEGER PRIMARY KEY AUTOINCREMENT, action TEXT NOT NULL CHECK "
        "(action IN ('say', 'delete')), statement INTEGER NOT NULL REFERENCES statements (id), "
        "undone INTEGER NOT NULL DEFAULT 0)"
    )


#: What leads from each version of the file to the next; the first makes a new file.
MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first_tables,)


class Project:
    """A project on disk. What was told to it is there when a method returns.

    One process at a time has it open.

    Parameters
    ----------
    path : Path or None
        Its file, which is made where there is none; with None it is in memory only.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.reopen()

    def reopen(self) -> None:
        """Open the file, again if it was closed."""
        path = self.path
        self._db = sqlite3.connect(
            path or ":memory:", timeout=0.2, isolation_level=None, check_same_thread=False
        )
        if path is None:
            return self._open("a project")
        try:
            self._open(path.name)
        except Refused:
            self._db.close()
            raise
        except sqlite3.OperationalError as error:
            self._db.close()
            if "locked" in str(error):
                raise Refused(f"{path.name} is open elsewhere{self._who_has_it()}") from None
            raise Refused(f"{path} cannot be opened: {error}") from None
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise Refused(f"{path} is no project of sentree: {error}") from None
        who = {"user": _user(), "computer": socket.gethostname(), "process": os.getpid()}
        assert self._owner is not None
        files.write(self._owner, json.dumps(who | {"since": _now()}))

    @property
    def _owner(self) -> Path | None:
        """The file that tells who has the project open."""
        return self.path and self.path.with_name(f"{self.path.name}-owner")

    def _open(self, name: str) -> None:
        db = self._db
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        application = db.execute("PRAGMA application_id").fetchone()[0]
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and application != _APPLICATION:
            raise Refused(f"{name} is an SQLite file, but no project of sentree")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise Refused(
                f"{name} was written by a newer sentree (its format is {version}, this "
                f"sentree {__version__} knows up to {len(MIGRATIONS)}): update sentree to open it"
            )
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        with self._transaction():  # takes the lock, which stays
            db.execute(f"PRAGMA application_id = {_APPLICATION}")
            for migrate in MIGRATIONS[version:]:
                migrate(db)
            db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

    def _who_has_it(self) -> str:
        try:
            who = json.loads(self._owner.read_text()) if self._owner else {}
            return (
                f", by {who['user']} on {who['computer']} (process {who['process']}, since "
                f"{who['since']}): close it there first"
            )
        except (OSError, ValueError, KeyError):
            return ": close it there first"

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def close(self) -> None:
        """Close the file; others may open it then."""
        if self._owner is not None:
            self._owner.unlink(missing_ok=True)
        self._db.close()

    # What the project is about

    @property
    def meta(self) -> dict[str, Any]:
        """What is known about the project: name, data, options, when it was made."""
        rows = self._db.execute("SELECT key, value FROM meta").fetchall()
        return {key: json.loads(value) for key, value in rows}

    def set_meta(self, **values: Any) -> None:
        """Remember facts about the project."""
        with self._transaction() as db:
            for key, value in values.items():
                db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value)))

    def stored(self, key: str) -> bytes | None:
        """Return bytes that were stored."""
        found = self._db.execute("SELECT value FROM stored WHERE key = ?", (key,)).fetchone()
        return None if found is None else bytes(found[0])

    def store(self, key: str, value: bytes) -> None:
        """Store bytes: data that are kept in the project, or the layout of the map."""
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO stored VALUES (?, ?)", (key, value))

    # What was said

    @property
    def statements(self) -> list[Statement]:
        """The statements that count or can be redone, in order."""
        found = self._db.execute(
            "SELECT id, kind, payload, origin, who, said_at, state FROM statements "
            "WHERE state != 'deleted' ORDER BY id"
        )
        return [Statement(row[0], row[1], json.loads(row[2]), *row[3:]) for row in found]

    def say(self, kind: str, payload: Mapping[str, Any], origin: str = "", who: str = "") -> int:
        """Add a statement and return its id; what was undone can no longer be redone."""
        with self._transaction() as db:
            self._forget_undone(db)
            row = (kind, json.dumps(payload), origin, who or _user(), _now())
            made = db.execute(
                "INSERT INTO statements (kind, payload, origin, who, said_at, state) "
                "VALUES (?, ?, ?, ?, ?, 'active')",
                row,
            ).lastrowid
            db.execute("INSERT INTO actions (action, statement) VALUES ('say', ?)", (made,))
        return int(made or 0)

    def delete(self, statement: int) -> None:
        """Delete a statement; this can be undone."""
        with self._transaction() as db:
            changed = db.execute(
                "UPDATE statements SET state = 'deleted' WHERE id = ? AND state = 'active'",
                (statement,),
            ).rowcount
            if not changed:
                raise Refused(f"there is no statement {statement} to delete")
            self._forget_undone(db)
            db.execute("INSERT INTO actions (action, statement) VALUES ('delete', ?)", (statement,))

    def _forget_undone(self, db: sqlite3.Connection) -> None:
        db.execute("UPDATE statements SET state = 'deleted' WHERE state = 'undone'")
        db.execute("DELETE FROM actions WHERE undone")

    def undo(self) -> None:
        """Take back the last statement or deletion."""
        self._turn("SELECT id, action, statement FROM actions WHERE NOT undone ORDER BY id DESC", 1)

    def redo(self) -> None:
        """Do again what was taken back last."""
        self._turn("SELECT id, action, statement FROM actions WHERE undone ORDER BY id", 0)

    def _turn(self, query: str, undone: int) -> None:
        with self._transaction() as db:
            found = db.execute(f"{query} LIMIT 1").fetchone()
            if found is None:
                raise Refused(f"there is nothing to {'undo' if undone else 'redo'}")
            action, kind, statement = found
            state = ("active", "undone") if kind == "say" else ("deleted", "active")
            db.execute("UPDATE actions SET undone = ? WHERE id = ?", (undone, action))
            changed = (state[undone], statement)
            db.execute("UPDATE statements SET state = ? WHERE id = ?", changed)

    @property
    def can(self) -> tuple[bool, bool]:
        """Whether there is something to undo, and to redo."""
        done, undone = self._db.execute(
            "SELECT count(*) - total(undone), total(undone) FROM actions"
        ).fetchone()
        return done > 0, undone > 0


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _user() -> str:
    try:
        return getuser()
    except (KeyError, OSError):  # a process without a user name
        return "somebody"
