"""A server for the tests of web sockets: each path is a protocol. Prints its port."""

import asyncio
import json
import random
import sys

from websockets.asyncio.server import serve


async def echo(socket):
    async for message in socket:
        await socket.send(message)


async def calls(socket):
    """JSON-RPC: each call is answered with its id, some in a different order."""
    pending = []
    async for message in socket:
        call = json.loads(message)
        pending.append(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": call["params"]["n"] * 2}))
        if len(pending) == 2:
            for answer in reversed(pending):
                await socket.send(answer)
            pending = []


async def subscriptions(socket):
    """GraphQL over WebSocket (graphql-transport-ws)."""
    async for message in socket:
        message = json.loads(message)
        kind, identity = message["type"], message.get("id")
        if kind == "connection_init":
            await socket.send(json.dumps({"type": "connection_ack"}))
        elif kind == "subscribe":
            for number in range(3):
                payload = {"data": {"tick": number}}
                await socket.send(json.dumps({"id": identity, "type": "next", "payload": payload}))
            await socket.send(json.dumps({"id": identity, "type": "complete"}))


async def realtime(socket):
    """An imitation of a realtime voice API: JSON events, and audio as bytes."""
    await socket.send(json.dumps({"type": "session.created", "session": {"id": f"sess_{random.getrandbits(96):024x}"}}))
    audio = b""
    async for message in socket:
        if isinstance(message, bytes):
            audio += message
            continue
        if json.loads(message)["type"] == "response.create":
            for start in range(0, len(audio), 1000):
                await socket.send(audio[start : start + 1000][::-1])
            await socket.send(json.dumps({"type": "response.done", "bytes": len(audio)}))
            await socket.close(4000 if "code" in message else 1000, "done")


PROTOCOLS = {"/echo": echo, "/calls": calls, "/graphql": subscriptions, "/realtime": realtime}


async def handle(socket):
    await PROTOCOLS[socket.request.path.split("?")[0]](socket)


async def main():
    async with serve(handle, "127.0.0.1", 0) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
