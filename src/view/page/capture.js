// SPDX-License-Identifier: Apache-2.0
// Saves pictures and films of the sky as files.

function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Saves the contents of `canvas` as a PNG with `caption` in its corner. Call right after drawing. */
export function savePicture(canvas, caption, name) {
  const picture = document.createElement('canvas');
  picture.width = canvas.width;
  picture.height = canvas.height;
  const pen = picture.getContext('2d', { alpha: false });
  pen.drawImage(canvas, 0, 0);
  const size = Math.max(11, Math.round(Math.min(picture.width, picture.height) / 55));
  pen.font = `${size}px system-ui, sans-serif`;
  pen.fillStyle = 'rgb(220 228 240 / 80%)';
  pen.fillText(caption, size * 1.4, picture.height - size * 1.4, picture.width - 2.8 * size);
  picture.toBlob((blob) => blob && download(blob, `${name}.png`), 'image/png');
}

/** Records `canvas` until stop(); null if the browser cannot record. */
export function recordFilm(canvas, name) {
  if (!canvas.captureStream || !globalThis.MediaRecorder) return null;
  const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm']
    .find((kind) => MediaRecorder.isTypeSupported(kind));
  if (!type) return null;
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 16e6 });
  const parts = [];
  recorder.ondataavailable = ({ data }) => data.size > 0 && parts.push(data);
  recorder.onstop = () => {
    for (const track of recorder.stream.getTracks()) track.stop();
    if (parts.length > 0) download(new Blob(parts, { type: 'video/webm' }), `${name}.webm`);
  };
  recorder.start(1000);
  return { stop: () => recorder.stop() };
}
