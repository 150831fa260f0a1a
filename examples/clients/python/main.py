"""Prints the latest versions of npm packages. Calls the gateway by Connect."""

import os
import sys

from connectrpc.errors import ConnectError
from gen.registry.v1.registry_connect import RegistryServiceClientSync
from gen.registry.v1.registry_pb import GetLatestRequest

gateway = os.environ.get("GATEWAY_URL", "http://127.0.0.1:8080")
with RegistryServiceClientSync(gateway) as client:
    for name in sys.argv[1:]:
        try:
            latest = client.get_latest(GetLatestRequest(name=name))
            print(name, latest.version)
        except ConnectError as error:
            print(name, error.code.value)
