import os

from hypothesis import settings

# The same examples in every run, so that a red run repeats; HYPOTHESIS=random looks further.
settings.register_profile("repeatable", derandomize=True)
settings.register_profile("random", derandomize=False)
settings.load_profile("random" if os.environ.get("HYPOTHESIS") == "random" else "repeatable")
