import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOfText, markdownWidth, textWidth } from './text-width.js';

test('words are as wide as a browser draws them in Arial at 16 px', () => {
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
    assert.ok(Math.abs(markdownWidth(markdown) - px) < 1, `${markdown}: ${markdownWidth(markdown)} of ${px}`);
  assert.ok(textWidth('winner', true) > textWidth('winner'));
});

test('a paragraph is broken between words; marks and the addresses of links take no room', () => {
  const word = 'word';
  const perLine = Math.floor(400 / (textWidth(`${word} `) * 1.03));
  const words = (/** @type {number} */ n) => Array.from({ length: n }, () => word).join(' ');
  assert.equal(linesOfText(words(perLine), 400), 1);
  assert.equal(linesOfText(words(Math.floor(2.5 * perLine)), 400), 3);
  assert.equal(linesOfText(`[${words(perLine)}](${'x'.repeat(500)})`, 400), 1);
  assert.equal(linesOfText('x'.repeat(200), 400), 5, 'a word that no line holds');
  assert.ok(linesOfText(`**${words(40)}**`, 400) > linesOfText(`*${words(40)}*`, 400), 'bold is wider');
});
