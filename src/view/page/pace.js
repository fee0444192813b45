// SPDX-License-Identifier: Apache-2.0
// Number of points to request and resolution of the picture: as much as this machine can draw 30
// times a second.

const fewest = 20000;
const slow = 36; // [ms] between pictures
const quick = 24;
const judged = 12; // pictures before each change
const coarsest = 0.5; // pixels relative to the possible ones, along one axis
const patience = 20000; // [ms] until a load that was too high is tried again

export function makePace(most = 1000000) {
  let adaptive = Math.min(100000, most);
  let chosen = 0; // by the user; 0: adaptive
  let tooMany = Infinity;
  let tooManySince = 0;
  let intervals = [];
  let detail = 1;

  return {
    get wanted() {
      return chosen ? Math.min(chosen, most) : adaptive;
    },
    /** Pixels relative to the possible ones, along one axis. */
    get detail() {
      return detail;
    },
    choose(points) {
      chosen = points;
      intervals = [];
    },
    /** Records that a picture of `frame` was drawn at `now`, `interval` after the previous one [ms]. */
    drew(frame, interval, now) {
      if (interval > 1000) return;
      intervals.push(interval);
      if (intervals.length < judged) return;
      const usual = intervals.sort((a, b) => a - b)[judged >> 1];
      intervals = [];
      if (usual > slow && detail > coarsest) {
        detail = Math.max(coarsest, detail * 0.8);
      } else if (chosen) {
        return;
      } else if (usual > slow) {
        // If the slowness has another cause, such as a simulation on the same cores, there is a
        // lower limit.
        tooMany = Math.min(adaptive, frame.points);
        tooManySince = now;
        adaptive = Math.max(fewest, Math.round(tooMany * 0.75));
      } else if (usual < quick && frame.points >= adaptive && frame.bodies > adaptive) {
        const ceiling = now - tooManySince < patience ? tooMany * 0.9 : most;
        adaptive = Math.max(adaptive, Math.round(Math.min(most, ceiling, adaptive * 1.3)));
      }
    },
  };
}
