from .frames import Frame as Frame
from .service import Service as Service
from .statements import Refused as Refused
