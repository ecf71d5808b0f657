from http.server import HTTPServer
from shop import Shop, run

# One thread: a webhook waits until the call before it has ended.
run(Shop, HTTPServer)
