// Ends what stays open after a request, a stream of events or a WebSocket, when the session of its sender ends.
import type { SocketService } from '../../../lib/socket-service.ts';
import type { Reply } from '../../route.ts';

/** Calls the function when the session has ended. Returns how to forget it. */
type WhenEnded = (end: () => void) => () => void;

const nothing = () => {};

export function untilEnded(reply: Reply, whenEnded: WhenEnded): Reply {
  const { stream, socket } = reply;
  if (stream !== undefined) return { ...reply, stream: endingStream(stream, whenEnded) };
  return socket === undefined ? reply : { ...reply, socket: endingSocket(socket, whenEnded) };
}

function endingStream(stream: ReadableStream<Uint8Array>, whenEnded: WhenEnded): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let forget = nothing;
  let isOpen = true;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      forget = whenEnded(() => {
        isOpen = false;
        controller.close();
        void reader.cancel();
      });
    },
    async pull(controller) {
      const { value } = await reader.read();
      if (!isOpen) return;
      if (value !== undefined) return controller.enqueue(value);
      forget();
      controller.close();
    },
    async cancel(reason) {
      forget();
      await reader.cancel(reason);
    },
  });
}

function endingSocket(socket: SocketService, whenEnded: WhenEnded): SocketService {
  let forget = nothing;
  return {
    opened(client) {
      forget = whenEnded(() => client.close(1008, 'You are signed out.'));
      socket.opened(client);
    },
    received: (bytes) => socket.received(bytes),
    closed() {
      forget();
      socket.closed();
    },
  };
}
