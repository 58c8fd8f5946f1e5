"""What the page and the server say to each other, for the schema at ``/api/openapi.json``.

Requests are checked against these; replies are described by them, and tests hold them to it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt

#: A row of the data, counted from 0.
Row = Annotated[StrictInt, Field(ge=0, le=2**31 - 1)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class _Request(BaseModel):
    """A request; a field that is not known is a mistake."""

    model_config = ConfigDict(extra="forbid")


class Say(_Request):
    """A statement about rows or clusters; which fields count depends on its kind."""

    kind: Literal[
        "same",
        "different",
        "is",
        "is_not",
        "stays",
        "merge",
        "split",
        "move",
        "rename",
        "scale",
    ]
    rows: list[Row] | None = None
    others: list[Row] | None = None
    class_: Name | None = Field(None, alias="class")
    row: Row | None = None
    to_row: Row | None = None
    into: Annotated[StrictInt, Field(ge=2, le=1000)] | None = None
    name: Name | None = None
    k: Annotated[StrictInt, Field(ge=1, le=2**31 - 1)] | None = None
    origin: Annotated[str, Field(max_length=500)] | None = None


class ClassNamed(_Request):
    """The reply to a question that names a class."""

    class_: Name = Field(alias="class")


class Answer(_Request):
    """The reply to a question: an option by its number from 0, or what else may be said."""

    question: Annotated[StrictInt, Field(ge=0, le=2**53)] | Name
    reply: Annotated[StrictInt, Field(ge=0, le=1000)] | Literal["new", "unsure"] | ClassNamed


class RowsWanted(_Request):
    """Rows to show."""

    rows: Annotated[list[Row], Field(max_length=1000)]


class Open(_Request):
    """A data file or project, by its path from the folder that the page was started in."""

    path: Annotated[str, Field(min_length=1, max_length=4000)]


class Example(_Request):
    """An embedded data set."""

    name: Name


class Error(BaseModel):
    """Why a request was refused."""

    error: str


class Said(BaseModel):
    """What a request changed: its statement, and the version of the state."""

    id: int | None = None
    version: int


class Status(BaseModel):
    """What is being done."""

    phase: Literal["empty", "fitting", "ready", "failed"]
    stage: str | None
    share: float | None
    message: str | None


class Event(BaseModel):
    """The data of a server-sent event ``state``: there is something new to fetch."""

    version: int
    status: Status


class Project(BaseModel):
    """The file that keeps everything."""

    name: str | None
    path: str | None


class Feature(BaseModel):
    """A column that clusters are made from."""

    name: str
    kind: Literal["number", "category"]


class Data(BaseModel):
    """What is clustered."""

    name: str | None
    n: int
    features: list[Feature]
    columns: list[Any]
    id_name: str | None
    image: dict[str, int] | None


class Cluster(BaseModel):
    """A cluster; ``colour`` is a slot that it keeps from version to version."""

    number: int
    colour: int
    name: str | None
    size: int
    strength: float | None
    support: float | None
    typical: list[int]


class Statement(BaseModel):
    """What was said, by whom, and what became of it."""

    id: int
    kind: str
    text: str
    rows: list[int]
    n_rows: int
    links: list[list[int]]
    origin: str | None
    who: str | None
    when: str | None
    state: Literal["active", "undone"]
    verdict: Literal["kept", "broken", "contradicting", "applied", "pending"]
    broken: int
    proof: list[str]


class Progress(BaseModel):
    """How far questions have led."""

    answers: int
    certainty: float | None
    left: int | None
    text: str


class State(BaseModel):
    """All that the page shows but for arrays."""

    version: int
    project: Project | None
    data: Data | None
    status: Status
    clusters: list[Cluster]
    statements: list[Statement]
    can_undo: bool
    can_redo: bool
    classes: list[str]
    scale: dict[str, Any] | None
    moved: dict[str, Any] | None
    progress: Progress | None


class Cell(BaseModel):
    """A cell of a row as text."""

    name: str
    text: str


class RowShown(BaseModel):
    """A row as it is shown."""

    row: int
    id: str | int | None
    cluster: int | None
    strength: float | None
    said: Any
    cells: list[Cell]
    image: list[float] | None


class RowsReply(BaseModel):
    """Rows as they are shown."""

    rows: list[RowShown]


class Found(BaseModel):
    """Rows that fit a search, and how it was read."""

    rows: list[int]
    n: int
    text: str


class QuestionReply(BaseModel):
    """The next question, if there is one."""

    question: dict[str, Any] | None
    progress: Progress | None


class ClusterProfile(BaseModel):
    """What makes a cluster."""

    number: int
    sentence: str
    traits: list[dict[str, Any]]


class Profiles(BaseModel):
    """What makes each cluster."""

    version: int
    clusters: list[ClusterProfile]


class Entry(BaseModel):
    """A folder."""

    name: str
    path: str


class FileEntry(Entry):
    """A file that can be opened."""

    kind: Literal["data", "project"]
    size: int


class Files(BaseModel):
    """What is in a folder below the one that the page was started in."""

    folder: str
    parent: str | None
    folders: list[Entry]
    files: list[FileEntry]
    left_out: int
