// SPDX-License-Identifier: Apache-2.0
// Mouse, pen and touch on the sky: turn, pan, zoom, fit.

const doubleTap = 320; // [ms]
const still = 8; // [px] that a tap may move

/**
 * Calls `taken()` when the camera was moved, `fit()` on a double click, `tap([x, y])` on a click, with
 * its place in CSS pixels. `placeAt([x, y])`: place to which a zoom there goes.
 */
export function listen(canvas, camera, { taken, fit, tap, placeAt }) {
  const fingers = new Map();
  let lastTap = 0;
  let begun = null;

  const middle = () => {
    const points = [...fingers.values()];
    const x = points.reduce((sum, f) => sum + f.x, 0) / points.length;
    const y = points.reduce((sum, f) => sum + f.y, 0) / points.length;
    const spread = points.length > 1 ? Math.hypot(points[0].x - points[1].x, points[0].y - points[1].y) : 0;
    return { x, y, spread };
  };

  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (fingers.size === 0) begun = { x: event.clientX, y: event.clientY, tap: event.button === 0 };
    else begun.tap = false;
    fingers.set(event.pointerId, {
      x: event.clientX, y: event.clientY, pans: event.shiftKey || event.button === 1 || event.button === 2 });
  });
  canvas.addEventListener('pointermove', (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const before = middle();
    finger.x = event.clientX;
    finger.y = event.clientY;
    const after = middle();
    const dx = after.x - before.x, dy = after.y - before.y;
    if (Math.hypot(finger.x - begun.x, finger.y - begun.y) > still) begun.tap = false;
    if (fingers.size > 1) {
      camera.pan(dx, dy);
      if (before.spread > 0 && after.spread > 0) camera.zoom(before.spread / after.spread, placeAt([after.x, after.y]));
    } else if (finger.pans || event.shiftKey) {
      camera.pan(dx, dy);
    } else {
      camera.turn(dx, dy);
    }
    taken();
  });
  const up = (event) => {
    if (!fingers.delete(event.pointerId) || fingers.size > 0) return;
    if (event.type !== 'pointerup' || !begun.tap) return;
    const twice = event.timeStamp - lastTap < doubleTap;
    lastTap = twice ? 0 : event.timeStamp;
    if (twice) fit();
    else tap([event.clientX, event.clientY]);
  };
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    camera.zoom(Math.exp(Math.min(Math.max(event.deltaY * lines, -200), 200) * (event.ctrlKey ? 0.01 : 0.0015)),
      placeAt([event.clientX, event.clientY]));
    taken();
  }, { passive: false });
}
