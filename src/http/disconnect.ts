import type { ServerResponse } from "node:http";
import type { H3Event } from "h3";
import { onAbort } from "./abort.ts";
import { closeSoon } from "./close-soon.ts";

/** Calls `listener` once nobody waits for the answer any more, be it that it was given over a socket. */
export function onDisconnect(event: H3Event, listener: () => void): void {
  const response = responseOf(event);
  if (!response) onAbort(event.req.signal, listener);
  else if (response.closed) listener();
  else response.once("close", listener);
}

/** Sees to it that the answer is not heard: the connection dies, or a call in process fails as if one had. */
export function loseAnswer(event: H3Event): void {
  const response = responseOf(event);
  if (response) response.socket?.destroy();
  else event.context[LOST] = true;
}

/** Closes the connection soon after the answer, however much of the request is still to come. */
export function closeAfterAnswer(event: H3Event): void {
  const response = responseOf(event);
  const socket = response?.socket;
  if (!socket) return;
  response.shouldKeepAlive = false;
  // Node calls it behind the last answer on a connection.
  socket.destroySoon = () => closeSoon(socket);
}

/** Whether nobody is there any more to hear the answer. */
export function isDisconnected(event: H3Event): boolean {
  const response = responseOf(event);
  if (response) return response.socket?.destroyed ?? true;
  return isLost(event.context) || event.req.signal.aborted;
}

/** Whether the answer of a call in process was lost, by the context that it was made with. */
export function isLost(context: Readonly<Record<string, unknown>>): boolean {
  return context[LOST] === true;
}

/** Absent where the call came from this process, without a socket. */
function responseOf(event: H3Event): ServerResponse | undefined {
  return event.runtime?.node?.res as ServerResponse | undefined;
}

const LOST = "sandboxLost";
