// SPDX-License-Identifier: Apache-2.0
// Saves pictures and films of the sky as files.

function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Draws canvases over each other, each enlarged to the size of the picture. */
function compose(pen, layers) {
  for (const layer of layers) pen.drawImage(layer, 0, 0, pen.canvas.width, pen.canvas.height);
}

/**
 * Saves the contents of canvases over each other as a PNG with `caption` in its corner, in the size
 * of the first one. Call right after drawing.
 */
export function savePicture(layers, caption, name) {
  const picture = document.createElement('canvas');
  picture.width = layers[0].width;
  picture.height = layers[0].height;
  const pen = picture.getContext('2d', { alpha: false });
  compose(pen, layers);
  const size = Math.max(11, Math.round(Math.min(picture.width, picture.height) / 55));
  pen.font = `${size}px system-ui, sans-serif`;
  pen.fillStyle = 'rgb(220 228 240 / 80%)';
  pen.fillText(caption, size * 1.4, picture.height - size * 1.4, picture.width - 2.8 * size);
  picture.toBlob((blob) => blob && download(blob, `${name}.png`), 'image/png');
}

/**
 * Records the pictures given to add() until stop(), in pixels of `width` x `height`; null if the
 * browser cannot record.
 */
export function recordFilm(width, height, name) {
  const canvas = document.createElement('canvas');
  canvas.width = 2 * Math.round(width / 2); // even, for every encoder
  canvas.height = 2 * Math.round(height / 2);
  const pen = canvas.getContext('2d', { alpha: false });
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
  return { stop: () => recorder.stop(), add: (...layers) => compose(pen, layers) };
}
