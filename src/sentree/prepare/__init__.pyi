from .preparer import Block as Block
from .preparer import TablePreparer as TablePreparer
from .tidy import typed as typed
