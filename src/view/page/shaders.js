// SPDX-License-Identifier: Apache-2.0
// Shaders: the light of points is added up, blurred slightly, and converted to brightness.

/** One point as received from the network, as integers. */
export const pointVertex = `#version 300 es
precision highp float;
layout(location = 0) in uvec3 place;
layout(location = 1) in uvec2 kind;  // speed, species
layout(location = 2) in vec3 fine;  // position in the box, -1 to 1, of few bodies
uniform mat4 matrix;
uniform float diameter, light, distance, biggest, fastest;
uniform bool isFine;
uniform int colouring;  // 0 speed, 1 species, 2 plain
uniform vec3 speedColours[5], speciesColours[7], plainColour;
out vec3 colour;

vec3 bySpeed() {
  float at = min(4.0 * float(kind.x) / 64.0 / fastest, 4.0);
  int k = min(int(at), 3);
  return mix(speedColours[k], speedColours[k + 1], at - float(k));
}

void main() {
  gl_Position = vec4(0.0, 0.0, 2.0, 1.0);  // not drawn
  gl_PointSize = 1.0;
  colour = vec3(0.0);
  if (!isFine && place == uvec3(65535u)) return;
  vec4 at = matrix * vec4(isFine ? fine : (vec3(place) + 0.5) / 32768.0 - 1.0, 1.0);
  if (at.w <= 1e-4 * distance) return;
  uint kindOfBody = min(kind.y, 6u);
  vec3 own = colouring == 0 ? bySpeed() : colouring == 1 ? speciesColours[kindOfBody] : plainColour;
  float faint = kindOfBody == 1u && colouring == 0 ? 0.35 : 1.0;
  // Nearer bodies are larger, but less than in proportion, because they are points.
  float wanted = diameter * sqrt(distance / at.w);
  float size = clamp(wanted, 1.5, biggest);
  float small = min(wanted / size, 1.0);
  gl_PointSize = size;
  colour = own * light * faint * small * small;
  gl_Position = vec4(at.xy, 0.0, at.w);
}`;

export const pointFragment = `#version 300 es
precision mediump float;
in vec3 colour;
out vec4 sum;
void main() {
  vec2 off = 2.0 * gl_PointCoord - 1.0;
  float r2 = dot(off, off);
  float bright = exp(-5.0 * r2) - 0.0067;  // 0 at the rim
  if (bright <= 0.0) discard;
  sum = vec4(colour * bright, 1.0);
}`;

/** A triangle that covers the picture. */
export const coverVertex = `#version 300 es
out vec2 at;
void main() {
  at = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
  gl_Position = vec4(2.0 * at - 1.0, 0.0, 1.0);
}`;

export const copyFragment = `#version 300 es
precision mediump float;
uniform sampler2D light;
uniform float strength;
in vec2 at;
out vec4 sum;
void main() { sum = vec4(texture(light, at).rgb * strength, 1.0); }`;

/** Reduces the size to a quarter: each of four texture() calls averages four pixels. */
export const shrinkFragment = `#version 300 es
precision mediump float;
uniform sampler2D light, trail;
uniform vec2 pixel;
in vec2 at;
out vec4 sum;
vec3 both(vec2 off) {
  vec2 p = at + off * pixel;
  return min(max(texture(light, p).rgb, texture(trail, p).rgb), 16.0);
}
void main() {
  sum = vec4(0.25 * (both(vec2(-1, -1)) + both(vec2(1, -1)) + both(vec2(-1, 1)) + both(vec2(1, 1))), 1.0);
}`;

/**
 * Taps of a Gaussian blur along one axis, as [offset in pixels, weight]. Each texture() call reads a
 * pair of pixels by linear interpolation. A Gaussian is the only kernel whose two passes give a round
 * spot. It ends where its weight is 1e-6, because a bright point shows a square where it is cut.
 */
const sigma = 3, reach = 16; // [pixels]
const gauss = (x) => Math.exp((-x * x) / (2 * sigma * sigma));
const total = Array.from({ length: 2 * reach + 1 }, (_, k) => gauss(k - reach)).reduce((a, b) => a + b);
export const blurTaps = [[0, gauss(0) / total]];
for (let x = 1; x < reach; x += 2) {
  const a = gauss(x), b = gauss(x + 1);
  blurTaps.push([x + b / (a + b), (a + b) / total]);
}
const tap = ([offset, weight]) => `  s += ${weight.toExponential(6)} * (texture(light, at + ${offset.toFixed(6)} * pixel).rgb
    + texture(light, at - ${offset.toFixed(6)} * pixel).rgb);`;

export const blurFragment = `#version 300 es
precision highp float;
uniform sampler2D light;
uniform vec2 pixel;
in vec2 at;
out vec4 sum;
void main() {
  vec3 s = ${blurTaps[0][1].toFixed(6)} * texture(light, at).rgb;
${blurTaps.slice(1).map(tap).join('\n')}
  sum = vec4(s, 1.0);
}`;

/**
 * Converts light to brightness by asinh (Lupton et al. 2004), which keeps the colour of bright
 * regions and shows the structure of cores; only the brightest pixels become white.
 */
export const developFragment = `#version 300 es
precision highp float;
uniform sampler2D light, trail, glow;
uniform float scale;  // of what was stored
in vec2 at;
out vec4 seen;
float asinhOf(float x) { return log(x + sqrt(x * x + 1.0)); }
void main() {
  vec3 sum = max(texture(light, at).rgb, texture(trail, at).rgb) + 0.22 * texture(glow, at).rgb;
  sum /= scale;
  float strongest = max(max(sum.r, sum.g), sum.b);
  float shown = asinhOf(3.0 * strongest) / asinhOf(60.0);
  vec3 hue = strongest > 0.0 ? sum / strongest : vec3(0.0);
  hue = mix(hue, vec3(1.0), smoothstep(0.65, 1.15, shown) * 0.85);
  vec3 linear = hue * min(shown, 1.0);
  vec2 off = at - 0.5;
  linear += vec3(0.0006, 0.0010, 0.0024) * (1.0 - 1.4 * dot(off, off));
  vec3 display = sqrt(linear);
  float grain = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
  seen = vec4(display + grain / 255.0, 1.0);  // no bands in the dark
}`;
