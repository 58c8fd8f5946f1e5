from .questions import IsClass as IsClass
from .questions import Question as Question
