"""The command line without the installed program: ``python -m sentree.cli``."""

from sentree.cli import main

main()
