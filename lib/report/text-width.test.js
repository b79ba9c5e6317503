import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdownWidth, textWidth } from './text-width.js';

test('words are about as wide as a browser draws them in Arial at 16 px', () => {
  // Measured in Chromium with Liberation Sans, whose metrics are Arial's.
  /** @type {[string, number][]} */
  const seen = [
    ['**MeshQL, embedded**', 152],
    ['**increment: op per CPU-second**', 235],
    ['Mixed writes and reads, 50 connections', 281],
    ['100 connections × pipeline 16', 212],
    ['open: at most 19 % apart', 179],
    ['595\u202f000', 58],
  ];
  for (const [markdown, px] of seen)
    assert.ok(
      Math.abs(markdownWidth(markdown) / px - 1) < 0.04,
      `${markdown}: ${markdownWidth(markdown)} of ${px}`,
    );
  assert.ok(textWidth('winner', true) > textWidth('winner'));
});
