// SPDX-License-Identifier: Apache-2.0
// Connection to the simulator; reconnects after a loss.

const retryAfter = 1000; // [ms]

/** URL of the stream, with the page's token. */
function address() {
  const url = new URL('stream', location.href);
  url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  const token = new URLSearchParams(location.search).get('token');
  url.search = token ? `?token=${encodeURIComponent(token)}` : '';
  url.hash = '';
  return url.href;
}

/**
 * Calls opened(), frame(buffer), text(object) and lost() on events. send() drops messages that cannot
 * be sent now, because a command is meant for the present state. After end() it does not reconnect.
 */
export function connect({ opened, frame, text, lost }) {
  let socket = null;
  let ended = false;

  function open() {
    socket = new WebSocket(address());
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => opened();
    socket.onmessage = ({ data }) => {
      if (typeof data !== 'string') return frame(data);
      let said = null;
      try {
        said = JSON.parse(data);
      } catch {
        return; // ignore messages that are not JSON
      }
      if (said && typeof said === 'object') text(said);
    };
    socket.onclose = () => {
      socket = null;
      if (ended) return;
      lost();
      setTimeout(open, retryAfter);
    };
  }
  open();

  return {
    send(said) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(said));
    },
    end() {
      ended = true;
    },
  };
}
