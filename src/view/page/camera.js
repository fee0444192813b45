// SPDX-License-Identifier: Apache-2.0
// Turntable camera with z up: position, motion and the matrix for the points.

const fieldOfView = (38 * Math.PI) / 180; // along the shorter side
const steepest = Math.PI / 2 - 0.001;
const quickly = 90, slowly = 700; // [ms] time constants of easing: by hand, automatic

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** `still`: no easing, for users who prefer reduced motion. */
export function makeCamera(still) {
  const now = { yaw: -0.6, pitch: 0.5, distance: 4, target: [0, 0, 0] };
  const goal = { ...now, target: [...now.target] };
  let ball = null; // ball that the camera should show
  let following = true; // until the user moves the camera
  let placed = false;
  let locked = null; // place that carry() keeps in the centre
  let firm = false;
  let easing = quickly;
  let viewport = { width: 1, height: 1, top: 0, bottom: 0 }; // size of the picture, and heights covered by panels

  /** Fraction of the picture's shorter side that panels leave free. */
  const free = () => {
    const height = Math.max(viewport.height - viewport.top - viewport.bottom, viewport.height / 4);
    return Math.min(viewport.width, height) / Math.min(viewport.width, viewport.height);
  };
  function fitGoal() {
    if (!ball) return;
    goal.target = [...ball.centre];
    goal.distance = (0.88 * ball.radius) / (Math.sin(fieldOfView / 2) * free());
  }
  const right = () => [-Math.sin(now.yaw), Math.cos(now.yaw), 0];
  const back = () => [
    Math.cos(now.pitch) * Math.cos(now.yaw), Math.cos(now.pitch) * Math.sin(now.yaw), Math.sin(now.pitch)];
  const up = () => [
    -Math.sin(now.pitch) * Math.cos(now.yaw), -Math.sin(now.pitch) * Math.sin(now.yaw), Math.cos(now.pitch)];
  const scale = () => Math.tan(fieldOfView / 2) / (Math.min(viewport.width, viewport.height) / 2); // length of 1 px at distance 1

  /** Pixel at which the target appears: the centre of the area that panels leave free. */
  const middle = () => [viewport.width / 2, (viewport.height + viewport.top - viewport.bottom) / 2];

  return {
    /** Sets the size of the picture in CSS pixels, and the heights covered by panels. */
    resize(size) {
      viewport = size;
      if (following) fitGoal();
    },
    /** Sets the ball that contains the bodies. Small changes do not move the camera. */
    surround(found) {
      if (!found) return;
      if (!ball || !following) {
        ball = found;
      } else {
        const off = Math.hypot(...found.centre.map((c, k) => c - ball.centre[k]));
        const ratio = found.radius / ball.radius;
        if (ratio > 0.7 && ratio < 1.3 && off < 0.25 * ball.radius) return;
        ball = found;
      }
      if (!following) return;
      easing = slowly;
      fitGoal();
      if (!placed) {
        // The first view starts from a slightly larger distance.
        placed = true;
        now.target = [...goal.target];
        now.distance = goal.distance * (still ? 1 : 1.5);
      }
    },
    /** Resets the camera for the bodies of another run. */
    restart() {
      following = true;
      ball = null;
    },
    /**
     * Keeps `place` in the centre from now on: call again whenever it has moved; null: no longer.
     * `firmly`: until then; otherwise until the user moves the camera.
     */
    carry(place, firmly) {
      firm = firmly;
      if (place && locked) {
        // The camera moves with the place at once, without easing.
        const moved = place.map((at, k) => at - locked[k]);
        for (const position of [now.target, goal.target, ball?.centre])
          position?.forEach((at, k) => { position[k] = at + moved[k]; });
      } else if (place) {
        goal.target = [...place];
        easing = quickly;
      }
      locked = place && [...place];
    },
    fit(found) {
      following = true;
      easing = still ? 0 : 250;
      ball = found ?? ball;
      fitGoal();
    },
    turn(dx, dy) {
      goal.yaw -= dx * 0.006;
      goal.pitch = clamp(goal.pitch + dy * 0.006, -steepest, steepest);
      easing = Math.min(easing, quickly);
    },
    pan(dx, dy) {
      if (!firm) locked = null;
      const unit = scale() * now.distance;
      goal.target = goal.target.map((at, k) => at - (right()[k] * dx - up()[k] * dy) * unit);
      following = false;
      easing = quickly;
    },
    /** Changes the distance; the pixel of `place` stays the same, if it is given. */
    zoom(factor, place = null) {
      const before = goal.distance;
      goal.distance = clamp(before * factor, (ball?.radius ?? 1) * 1e-5, (ball?.radius ?? 1) * 300);
      if (!firm) locked = null;
      if (place && !locked)
        goal.target = goal.target.map((at, k) => place[k] + ((at - place[k]) * goal.distance) / before);
      following = false;
      easing = quickly;
    },
    /** Moves toward the goal for `elapsed` [ms]; returns whether the camera moved. */
    move(elapsed) {
      const part = still || easing === 0 ? 1 : 1 - Math.exp(-elapsed / easing);
      const off = Math.hypot(...goal.target.map((at, k) => at - now.target[k])) / goal.distance;
      const moves = off > 1e-5 || Math.abs(goal.distance / now.distance - 1) > 1e-5 ||
        Math.abs(goal.yaw - now.yaw) > 1e-5 || Math.abs(goal.pitch - now.pitch) > 1e-5;
      if (!moves) return false;
      now.yaw += (goal.yaw - now.yaw) * part;
      now.pitch += (goal.pitch - now.pitch) * part;
      now.distance *= (goal.distance / now.distance) ** part;
      now.target = now.target.map((at, k) => at + (goal.target[k] - at) * part);
      return true;
    },
    /** Returns the place at a pixel [CSS pixels] that is as far away as the centre of the picture. */
    placeAt([x, y]) {
      const [centreX, centreY] = middle();
      const unit = scale() * now.distance;
      return now.target.map((at, k) => at + (right()[k] * (x - centreX) - up()[k] * (y - centreY)) * unit);
    },
    /** Returns the pixel [CSS pixels] of a place; null behind the eye. */
    project(place) {
      const off = place.map((at, k) => at - now.target[k]);
      const [x, y, z] = [right(), up(), back()].map((axis) => axis.reduce((sum, a, k) => sum + a * off[k], 0));
      const depth = now.distance - z;
      if (depth <= 1e-4 * now.distance) return null;
      const unit = scale() * depth;
      const [centreX, centreY] = middle();
      return [centreX + x / unit, centreY - y / unit];
    },
    /** Whether the camera follows the extent of the bodies. */
    get isFitted() {
      return following;
    },
    get distance() {
      return now.distance;
    },
    /**
     * Returns the matrix from a position in the box, each coordinate -1 to 1, to the picture, in
     * columns as WebGL expects. w is the distance from the eye.
     */
    matrix(frame) {
      const focus = 1 / Math.tan(fieldOfView / 2);
      const shorter = Math.min(viewport.width, viewport.height);
      const fx = (focus * shorter) / viewport.width, fy = (focus * shorter) / viewport.height;
      const shift = (viewport.bottom - viewport.top) / viewport.height; // shift to the centre of the area that panels leave free
      const axes = [right(), up(), back()];
      const rows = axes.map((axis) => [
        ...axis.map((a) => a * frame.half),
        axis.reduce((sum, a, k) => sum + a * (frame.centre[k] - now.target[k]), 0)]);
      const depth = rows[2].map((value) => -value);
      depth[3] += now.distance;
      const x = rows[0].map((value) => value * fx);
      const y = rows[1].map((value, k) => value * fy + depth[k] * shift);
      const matrix = new Float32Array(16);
      for (let k = 0; k < 4; ++k) matrix.set([x[k], y[k], 0, depth[k]], 4 * k);
      return matrix;
    },
  };
}
