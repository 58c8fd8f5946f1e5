from .answers import Answer as Answer
from .oracles import Truth as Truth
from .questions import IsClass as IsClass
from .questions import Question as Question
from .random import Random as Random
from .session import ActiveSession as ActiveSession
from .session import Remaining as Remaining
from .uncertainty import Uncertainty as Uncertainty
