from .exports import Export as Export
from .frames import Frame as Frame
from .service import Service as Service
from .service import export_project as export_project
from .statements import Refused as Refused
