// SPDX-License-Identifier: Apache-2.0
// The connection to the simulator, which comes back by itself when it was lost.

const retryAfter = 1000; // [ms]

/** The stream beside this page, with the page's token. */
function address() {
  const url = new URL('stream', location.href);
  url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  const token = new URLSearchParams(location.search).get('token');
  url.search = token ? `?token=${encodeURIComponent(token)}` : '';
  url.hash = '';
  return url.href;
}

/**
 * Calls opened(), frame(buffer), text(object) and lost() as things happen. send() drops what cannot
 * be sent: a command is for the run as it is now. end() makes a loss final.
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
        return; // what is no JSON is not for us
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
