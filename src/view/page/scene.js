// SPDX-License-Identifier: Apache-2.0
// Draws the bodies with WebGL2: the points of a frame go to the graphics card unconverted.

import { pointBytes } from './frame.js';
import { colourings, expose, fastest, plainColour, speciesColours, speedColours } from './palette.js';
import * as shaders from './shaders.js';

const fadePerFrame = 0.94; // of trails
const buffers = 3; // of points: the card may still read those of the last frame
const fadeOfMotion = 0.6; // faster fading while the camera moves, because trails belong to the old view

function compile(gl, kind, source) {
  const shader = gl.createShader(kind);
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

/** Returns a program and its uniforms by name. Throws the message of the driver. */
function makeProgram(gl, vertex, fragment) {
  const program = gl.createProgram();
  const shaders = [compile(gl, gl.VERTEX_SHADER, vertex), compile(gl, gl.FRAGMENT_SHADER, fragment)];
  for (const shader of shaders) gl.attachShader(program, shader);
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
    throw new Error([gl.getProgramInfoLog(program), ...shaders.map((s) => gl.getShaderInfoLog(s))].join('\n'));
  const uniforms = {};
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) ?? 0;
  for (let i = 0; i < count; ++i) {
    const name = gl.getActiveUniform(program, i).name.replace('[0]', '');
    uniforms[name] = gl.getUniformLocation(program, name);
  }
  return { program, uniforms };
}

/** Returns a render target for light: half floats where the card has them, otherwise bytes. */
function makeTarget(gl, width, height, floats) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, floats ? gl.RGBA16F : gl.RGBA8, width, height);
  for (const [name, value] of [
    [gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
    gl.texParameteri(gl.TEXTURE_2D, name, value);
  const buffer = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  gl.clearColor(0, 0, 0, 1);
  gl.clear(gl.COLOR_BUFFER_BIT);
  return { texture, buffer, width, height };
}

function dropTarget(gl, target) {
  gl.deleteFramebuffer(target.buffer);
  gl.deleteTexture(target.texture);
}

/** Null without WebGL2. `restored()` is called when the context was lost and restored. */
export function makeScene(canvas, restored) {
  const gl = canvas.getContext('webgl2', {
    alpha: false, antialias: false, depth: false, stencil: false, powerPreference: 'high-performance' });
  if (!gl) return null;

  // Software rendering gets fewer pixels.
  const name = gl.getParameter(gl.getExtension('WEBGL_debug_renderer_info')?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER);
  const software = /swiftshader|llvmpipe|softpipe|basic render/i.test(name);

  let card = null; // everything that is lost with the context
  let count = 0;
  let aged = false; // whether a new frame has arrived since the last picture

  function makePoints() {
    const array = gl.createVertexArray();
    const buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribIPointer(0, 3, gl.UNSIGNED_SHORT, pointBytes, 0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribIPointer(1, 2, gl.UNSIGNED_BYTE, pointBytes, 6);
    const fine = gl.createBuffer(); // of few bodies only
    gl.bindBuffer(gl.ARRAY_BUFFER, fine);
    gl.vertexAttribPointer(2, 3, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    return { array, buffer, fine, held: 0 };
  }

  function begin() {
    const floats = Boolean(gl.getExtension('EXT_color_buffer_float') || gl.getExtension('EXT_color_buffer_half_float'));
    gl.disable(gl.DITHER);
    card = {
      floats, points: Array.from({ length: buffers }, makePoints), nothing: gl.createVertexArray(), targets: null,
      biggest: Math.min(gl.getParameter(gl.ALIASED_POINT_SIZE_RANGE)[1], 96),
      point: makeProgram(gl, shaders.pointVertex, shaders.pointFragment),
      copy: makeProgram(gl, shaders.coverVertex, shaders.copyFragment),
      shrink: makeProgram(gl, shaders.coverVertex, shaders.shrinkFragment),
      blur: makeProgram(gl, shaders.coverVertex, shaders.blurFragment),
      develop: makeProgram(gl, shaders.coverVertex, shaders.developFragment),
    };
    gl.useProgram(card.point.program);
    gl.uniform3fv(card.point.uniforms.speedColours, speedColours.flat());
    gl.uniform3fv(card.point.uniforms.speciesColours, speciesColours.flat());
    gl.uniform3fv(card.point.uniforms.plainColour, plainColour);
    gl.uniform1f(card.point.uniforms.fastest, fastest);
    count = 0;
  }
  begin();
  canvas.addEventListener('webglcontextlost', (event) => {
    event.preventDefault();
    card = null;
  });
  canvas.addEventListener('webglcontextrestored', () => {
    begin();
    restored();
  });

  function targets() {
    const { width, height } = canvas;
    if (card.targets?.light.width === width && card.targets.light.height === height) return card.targets;
    for (const target of Object.values(card.targets ?? {})) dropTarget(gl, target);
    const w = Math.max(1, width >> 2), h = Math.max(1, height >> 2);
    card.targets = {
      light: makeTarget(gl, width, height, card.floats), trail: makeTarget(gl, width, height, card.floats),
      glow: makeTarget(gl, w, h, card.floats), spread: makeTarget(gl, w, h, card.floats),
    };
    return card.targets;
  }

  function into(target) {
    gl.bindFramebuffer(gl.FRAMEBUFFER, target?.buffer ?? null);
    gl.viewport(0, 0, target?.width ?? canvas.width, target?.height ?? canvas.height);
  }
  function bind(program, textures) {
    gl.useProgram(program.program);
    Object.entries(textures).forEach(([name, target], unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, target.texture);
      gl.uniform1i(program.uniforms[name], unit);
    });
  }
  function cover() {
    gl.bindVertexArray(card.nothing);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  function drawPoints(camera, frame, settings, ratio, scale) {
    const { diameter, light } = expose(count, settings);
    const { uniforms, program } = card.point;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.matrix, false, camera.matrix(frame));
    gl.uniform1f(uniforms.diameter, diameter * ratio);
    gl.uniform1f(uniforms.light, light * scale);
    gl.uniform1f(uniforms.distance, camera.distance);
    gl.uniform1f(uniforms.biggest, card.biggest);
    gl.uniform1i(uniforms.isFine, Boolean(frame.fine));
    gl.uniform1i(uniforms.colouring, colourings.indexOf(settings.colour));
    gl.enable(gl.BLEND);
    gl.blendEquation(gl.FUNC_ADD);
    gl.blendFunc(gl.ONE, gl.ONE);
    gl.bindVertexArray(card.points[0].array);
    gl.drawArrays(gl.POINTS, 0, count);
    gl.disable(gl.BLEND);
  }

  /** Fades old light; new light stays where it is stronger. */
  function drawTrail(light, trail, moved) {
    into(trail);
    gl.enable(gl.BLEND);
    if (aged || moved) {
      const fade = (aged ? fadePerFrame : 1) * (moved ? fadeOfMotion : 1);
      bind(card.copy, { light });
      gl.uniform1f(card.copy.uniforms.strength, 0);
      gl.blendEquation(gl.FUNC_ADD);
      gl.blendColor(fade, fade, fade, 1);
      gl.blendFunc(gl.ZERO, gl.CONSTANT_COLOR);
      cover();
    }
    bind(card.copy, { light });
    gl.uniform1f(card.copy.uniforms.strength, 0.75);
    gl.blendEquation(gl.MAX);
    gl.blendFunc(gl.ONE, gl.ONE);
    cover();
    gl.blendEquation(gl.FUNC_ADD);
    gl.disable(gl.BLEND);
  }

  function drawGlow(light, trail, glow, spread) {
    into(glow);
    bind(card.shrink, { light, trail });
    gl.uniform2f(card.shrink.uniforms.pixel, 1 / light.width, 1 / light.height);
    cover();
    for (const [from, to, x, y] of [[glow, spread, 1, 0], [spread, glow, 0, 1]]) {
      into(to);
      bind(card.blur, { light: from });
      gl.uniform2f(card.blur.uniforms.pixel, x / from.width, y / from.height);
      cover();
    }
  }

  return {
    kind: 'webgl2',
    most: 1000000,
    pixels: software ? 720 * 480 : Infinity,
    /** Uploads the points of a frame unconverted. */
    take(frame) {
      if (!card) return;
      card.points.unshift(card.points.pop());
      const points = card.points[0];
      gl.bindBuffer(gl.ARRAY_BUFFER, points.buffer);
      if (frame.bytes.byteLength > points.held) {
        points.held = frame.bytes.byteLength;
        gl.bufferData(gl.ARRAY_BUFFER, frame.bytes, gl.STREAM_DRAW);
      } else {
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, frame.bytes);
      }
      gl.bindVertexArray(points.array);
      if (frame.fine) {
        gl.bindBuffer(gl.ARRAY_BUFFER, points.fine);
        gl.bufferData(gl.ARRAY_BUFFER, frame.fine, gl.STREAM_DRAW);
        gl.enableVertexAttribArray(2);
      } else {
        gl.disableVertexAttribArray(2);
      }
      gl.bindVertexArray(null);
      count = frame.points;
      aged = true;
    },
    clearTrails() {
      if (!card?.targets) return;
      into(card.targets.trail);
      gl.clear(gl.COLOR_BUFFER_BIT);
    },
    /** `ratio`: pixels of the canvas per CSS pixel; `moved`: whether the camera moved. */
    draw(camera, frame, settings, ratio, moved) {
      if (!card) return;
      const { light, trail, glow, spread } = targets();
      const scale = card.floats ? 1 : 0.12; // bytes saturate at 1
      into(light);
      gl.clearColor(0, 0, 0, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      if (frame && count > 0) drawPoints(camera, frame, settings, ratio, scale);
      if (settings.trails) drawTrail(light, trail, moved);
      drawGlow(light, trail, glow, spread);
      into(null);
      bind(card.develop, { light, trail, glow });
      gl.uniform1f(card.develop.uniforms.scale, scale);
      cover();
      aged = false;
    },
  };
}
