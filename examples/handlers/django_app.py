# python3 django_app.py runserver 3000
import json
import os
import sys

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from webhook import is_genuine


# The gateway has no CSRF token: the signature takes its place.
@csrf_exempt
@require_POST
def receive(request):
    # request.body has the raw bytes.
    if not is_genuine(request.body, request.headers, os.environ["PIX_SANDBOX_SECRET"]):
        return HttpResponse(status=401)
    event = json.loads(request.body)
    print(event["type"], event["data"]["id"], event["data"]["status"], flush=True)
    return HttpResponse(status=200)


urlpatterns = [path("webhooks/pix", receive)]

if __name__ == "__main__":
    settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY=os.urandom(32).hex())
    execute_from_command_line(sys.argv)
