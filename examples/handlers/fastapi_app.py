# uvicorn fastapi_app:app --port 3000
import json
import os

from fastapi import FastAPI, Request, Response

from webhook import is_genuine

app = FastAPI()


@app.post("/webhooks/pix")
async def receive(request: Request):
    # The raw bytes: a parameter of a Pydantic model would be parsed before the verification.
    body = await request.body()
    if not is_genuine(body, request.headers, os.environ["PIX_SANDBOX_SECRET"]):
        return Response(status_code=401)
    event = json.loads(body)
    print(event["type"], event["data"]["id"], event["data"]["status"], flush=True)
    return Response(status_code=200)
