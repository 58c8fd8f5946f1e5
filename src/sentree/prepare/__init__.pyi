from .preparer import Block as Block
from .preparer import TablePreparer as TablePreparer
from .reading import typed as typed
