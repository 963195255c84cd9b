"""Arrays that annotations name."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Values = NDArray[Any]  # of any dtype
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]  # positions of rows of X
Places = NDArray[np.intp]  # positions in other arrays: of a grid, of columns
