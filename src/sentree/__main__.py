"""The command line: ``python -m sentree``."""

from sentree.cli import main

main()
