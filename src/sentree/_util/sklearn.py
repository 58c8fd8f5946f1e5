"""Private names of scikit-learn that the package uses: one file to mend where it moves them.

They are of its contract for estimators (parameters checked by `_parameter_constraints`), for
which it has no public names. Here and not in `estimators`, since `paper` uses them too.
"""

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _num_samples as num_samples

__all__ = ["Interval", "StrOptions", "fit_context", "num_samples"]
