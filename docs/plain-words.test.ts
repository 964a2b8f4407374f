import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

import ts from "typescript";
import { expect, test } from "vitest";

import { BANS } from "./banned-words.ts";

/** These quote what they ban. */
const EXEMPT = /^docs\/(banned-words\.ts|plain-words\.test\.ts|glossary\.md)$/;
const KINDS = { name: "identifier", path: "path", text: "text", screen: "text" } as const;

type Found = { line: number; place: keyof typeof KINDS; words: string };

test("uses no word of the banned list", { timeout: 120_000 }, () => {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
    .split("\n")
    .filter((file) => /\.(tsx?|mjs|md)$/.test(file) && !EXEMPT.test(file));
  expect(files.length).toBeGreaterThan(1000);
  expect([...new Set(files.flatMap(problemsIn))]).toEqual([]);
});

function problemsIn(file: string): string[] {
  const source = readFileSync(file, "utf8");
  const found: Found[] = [{ line: 1, place: "path", words: file }];
  if (file.endsWith(".md"))
    found.push(
      ...source
        .split("\n")
        .map((words, index): Found => ({ line: index + 1, place: "text", words })),
    );
  else found.push(...wordsOfCode(file, source));
  return found.flatMap(({ line, place, words }) =>
    BANS.filter((ban) => ban.in.includes(place)).flatMap(({ pattern, say }) => {
      const match = pattern.exec(words);
      return match ? [`${file}:${line} ${KINDS[place]} "${match[0]}": say ${say}`] : [];
    }),
  );
}

/** The comments, strings, JSX texts and declared names of a file. */
function wordsOfCode(file: string, source: string): Found[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const lineOf = (place: number) => tree.getLineAndCharacterOfPosition(place).line + 1;
  const found: Found[] = [];
  const seen = new Set<number>();
  const comments = (place: number, ranges: ts.CommentRange[] | undefined) => {
    for (const { pos, end } of ranges ?? [])
      if (!seen.has(pos)) {
        seen.add(pos);
        found.push({ line: lineOf(place), place: "text", words: flat(source.slice(pos, end)) });
      }
  };
  const visit = (node: ts.Node): void => {
    comments(node.getFullStart(), ts.getLeadingCommentRanges(source, node.getFullStart()));
    comments(node.end, ts.getTrailingCommentRanges(source, node.end));
    if (isDeclaredName(node))
      found.push({ line: lineOf(node.getStart()), place: "name", words: node.text });
    // A single word is data, such as a search term in a test.
    if (isText(node) && !isModulePath(node) && /\s/.test(node.text))
      found.push({ line: lineOf(node.getStart()), place: "text", words: flat(node.text) });
    if (isText(node) && /^app\/(?!.*\.test\.)/.test(file))
      found.push({ line: lineOf(node.getStart()), place: "screen", words: flat(node.text) });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** A comment's lines as one, without the stars at their beginnings. */
const flat = (words: string) => words.replace(/\s*\n\s*\*?\s*/g, " ");

const isDeclaredName = (node: ts.Node): node is ts.Identifier =>
  ts.isIdentifier(node) && (node.parent as { name?: ts.Node }).name === node;

const isText = (node: ts.Node): node is ts.StringLiteral | ts.JsxText | ts.TemplateHead =>
  ts.isStringLiteralLike(node) ||
  ts.isJsxText(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddleOrTemplateTail(node);

const isModulePath = (node: ts.Node) =>
  ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent);
