import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { argv } from "node:process";

import ts from "typescript";

import { ROOT } from "./paths.mjs";

/**
 * How many exceptions to each rule are allowed. More fail the check. Lower the number when you remove one.
 *
 * @type {Record<Rule, number>}
 */
const EXCEPTIONS = {
  fragments: 14,
  sharedNames: 50,
  packed: 0,
  aliases: 1,
  valueCycles: 0,
  typeCycles: 0,
  repeatedFields: 34,
};

/** A shorter file with a single importer and no test of its own belongs in the file that imports it. */
const FRAGMENT_LINES = 60;
const SHORT_LINES = 30;

/** Files of the product, without tests and their helpers. */
const PRODUCT = /^(?!server\/testing\/)(app|server|worker|mail|drizzle)\/(?!.*\.(test|spec)\.)/;
const SOURCE = /\.tsx?$/;
/** Files that Next finds by name. */
const NEXT_ENTRY =
  /^app\/(.*\/)?(page|layout|loading|error|global-error|not-found|default|template)\.tsx$/;
/** Names that Next requires, or that every component file may use. */
const COMMON_NAMES = new Set(["generateMetadata", "metadata", "Props", "default"]);
/** Cycles among tables are allowed, because foreign keys point both ways. */
const TABLES = "drizzle/schema/";

/** @typedef {"fragments" | "sharedNames" | "packed" | "aliases" | "valueCycles" | "typeCycles" | "repeatedFields"} Rule */
/** @typedef {{ target: string, isType: boolean, aliases: string[] }} Import */
/**
 * @typedef {{
 *   path: string, lines: number, exports: string[], imports: Import[], packed: number[], columns: string[], fields: string[]
 * }} SourceFile `columns` of the tables it defines, `fields` of its types and zod schemas
 */

const RULES = {
  fragments: `files under ${FRAGMENT_LINES} lines with one importer and no test of their own`,
  sharedNames: "names exported by more than one file",
  packed: "lines that spread a literal, as in ...{ a, b } or ...[a, b]",
  aliases: "imports renamed with `as`",
  valueCycles: "import cycles",
  typeCycles: "import cycles, type imports included",
  repeatedFields: "columns declared in more than one file besides their table",
};

/**
 * Measures the structure of the sources.
 *
 * @param {string} [root]
 * @returns {{ sizes: [title: string, value: string][], found: Record<Rule, string[]> }} `found` lists the exceptions to each rule
 */
export function measureStructure(root = ROOT) {
  const tracked = trackedFiles(root);
  const sources = tracked.filter((path) => SOURCE.test(path) && !path.endsWith(".d.ts"));
  const all = sources.map((path) => readSource(root, path));
  const product = all.filter(({ path }) => PRODUCT.test(path));
  return {
    sizes: sizes(root, tracked, product),
    found: {
      fragments: findFragments(product, new Set(sources)),
      sharedNames: findSharedNames(product),
      packed: all.flatMap(({ path, packed }) => packed.map((line) => `${path}:${line}`)),
      aliases: product.flatMap(({ path, imports }) =>
        imports.flatMap(({ aliases }) => aliases.map((alias) => `${path}: ${alias}`)),
      ),
      valueCycles: findCycles(product, (each) => !each.isType),
      typeCycles: findCycles(product, () => true),
      repeatedFields: findRepeatedFields(product),
    },
  };
}

/** @param {string} root @returns {string[]} */
function trackedFiles(root) {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  return listed.split("\n").filter((path) => path !== "" && existsSync(join(root, path)));
}

/** @param {string} root @param {string[]} tracked @param {SourceFile[]} product @returns {[string, string][]} */
function sizes(root, tracked, product) {
  const lengths = product.map(({ lines }) => lines).sort((a, b) => a - b);
  const others = product.filter(({ path }) => !NEXT_ENTRY.test(path));
  const short = others.filter(({ lines }) => lines < SHORT_LINES).length;
  const total = tracked.reduce((sum, path) => sum + linesOf(readFileSync(join(root, path))), 0);
  return [
    ["product files", `${product.length}`],
    ["product lines", `${lengths.reduce((sum, each) => sum + each, 0)}`],
    ["median lines of a file", `${lengths[Math.floor(lengths.length / 2)] ?? 0}`],
    [
      `files under ${SHORT_LINES} lines`,
      `${short} (${Math.round((100 * short) / (others.length || 1))} %)`,
    ],
    ["tracked lines", `${total}`],
  ];
}

/** @param {Buffer} bytes binary files have none */
function linesOf(bytes) {
  if (bytes.subarray(0, 8000).includes(0)) return 0;
  let lines = 0;
  for (const byte of bytes) if (byte === 10) lines++;
  return lines;
}

/** @param {string} root @param {string} path @returns {SourceFile} */
function readSource(root, path) {
  const text = readFileSync(join(root, path), "utf8");
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  /** @type {SourceFile} */
  const found = {
    path,
    lines: text.split("\n").length - 1,
    exports: [],
    imports: [],
    packed: [],
    columns: [],
    fields: [],
  };
  const lines = new Set();
  /** @param {ts.Node} node */
  const visit = (node) => {
    const each = readImport(path, node);
    if (each) found.imports.push(each);
    found.columns.push(...columnsOf(node));
    found.fields.push(...fieldsOf(node));
    if (isPacked(node)) lines.add(file.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    ts.forEachChild(node, visit);
  };
  for (const statement of file.statements) found.exports.push(...exportedNames(statement));
  visit(file);
  found.packed = [...lines];
  return found;
}

/** @param {ts.Node} node */
const isPacked = (node) =>
  ((ts.isSpreadAssignment(node) || ts.isJsxSpreadAttribute(node)) &&
    ts.isObjectLiteralExpression(node.expression)) ||
  (ts.isSpreadElement(node) && ts.isArrayLiteralExpression(node.expression));

/** @param {ts.NodeArray<ts.Node>} members @returns {string[]} */
const memberNames = (members) =>
  members.flatMap((member) => {
    const { name } = /** @type {ts.ObjectLiteralElementLike | ts.TypeElement} */ (member);
    return name && ts.isIdentifier(name) ? [name.text] : [];
  });

/** @param {ts.Node} node a call of `pgTable` with a name and columns, or any other node */
function columnsOf(node) {
  const columns =
    ts.isCallExpression(node) && node.expression.getText() === "pgTable" && node.arguments[1];
  return columns && ts.isObjectLiteralExpression(columns) ? memberNames(columns.properties) : [];
}

/** The fields that a named type or a zod schema declares itself. @param {ts.Node} node */
function fieldsOf(node) {
  if (ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) {
    const literals = ts.isInterfaceDeclaration(node) ? [node] : literalsOf(node.type);
    return literals.flatMap(({ members }) => memberNames(members));
  }
  const isSchema =
    ts.isCallExpression(node) && /(^z\.\w*object|\.extend)$/i.test(node.expression.getText());
  const fields = isSchema ? node.arguments[0] : undefined;
  return fields && ts.isObjectLiteralExpression(fields) ? memberNames(fields.properties) : [];
}

/** @param {ts.TypeNode} type @returns {ts.TypeLiteralNode[]} */
function literalsOf(type) {
  if (ts.isTypeLiteralNode(type)) return [type];
  return ts.isIntersectionTypeNode(type) || ts.isUnionTypeNode(type)
    ? type.types.flatMap(literalsOf)
    : [];
}

/** @param {string} path @param {ts.Node} node @returns {Import | null} of one of our own files */
function readImport(path, node) {
  const specifier = specifierOf(node);
  if (!specifier || !ts.isStringLiteralLike(specifier) || !/^[#.]/.test(specifier.text))
    return null;
  const { text } = specifier;
  const target = text.startsWith("#") ? text.slice(1) : posix.join(dirname(path), text);
  return { target, isType: isErased(node), aliases: aliasesOf(node) };
}

/** @param {ts.Node} node */
function specifierOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return node.argument.literal;
  const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isCall ? node.arguments[0] : undefined;
}

/** Whether stripping types removes the whole import. @param {ts.Node} node */
function isErased(node) {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  if (!ts.isImportDeclaration(node)) return ts.isImportTypeNode(node);
  const clause = node.importClause;
  if (clause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const bindings = clause?.namedBindings;
  if (!bindings || !ts.isNamedImports(bindings) || clause.name) return false;
  return bindings.elements.length > 0 && bindings.elements.every((each) => each.isTypeOnly);
}

/** @param {ts.Node} node */
function aliasesOf(node) {
  const bindings = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : undefined;
  if (!bindings || !ts.isNamedImports(bindings)) return [];
  return bindings.elements
    .filter(({ propertyName }) => propertyName)
    .map(({ propertyName, name }) => `${propertyName?.text} as ${name.text}`);
}

/** @param {ts.Statement} statement @returns {string[]} what it declares and exports */
function exportedNames(statement) {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  const has = (/** @type {ts.SyntaxKind} */ kind) => modifiers.some((each) => each.kind === kind);
  if (!has(ts.SyntaxKind.ExportKeyword) || has(ts.SyntaxKind.DefaultKeyword)) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isEnumDeclaration(statement);
  return isNamed && statement.name ? [statement.name.text] : [];
}

/** @param {ts.BindingName} name @returns {string[]} */
function boundNames(name) {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((each) =>
    ts.isOmittedExpression(each) ? [] : boundNames(each.name),
  );
}

/** @param {SourceFile[]} product @param {Set<string>} sources */
function findFragments(product, sources) {
  /** @type {Map<string, Set<string>>} */
  const importers = new Map();
  for (const { path, imports } of product)
    for (const { target, isType } of imports) {
      if (!isType) importers.set(target, (importers.get(target) ?? new Set()).add(path));
    }
  const hasTest = (/** @type {string} */ path) => sources.has(path.replace(/(\.tsx?)$/, ".test$1"));
  return product
    .filter(({ path, lines }) => lines < FRAGMENT_LINES && importers.get(path)?.size === 1)
    .filter(({ path }) => !hasTest(path) && !hasTest(path.replace(/\.tsx$/, ".ts")))
    .map(({ path }) => path);
}

/** @param {SourceFile[]} product */
function findSharedNames(product) {
  /** @type {Map<string, Set<string>>} */
  const files = new Map();
  for (const { path, exports } of product)
    for (const name of exports)
      if (!COMMON_NAMES.has(name)) files.set(name, (files.get(name) ?? new Set()).add(path));
  return [...files]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].join(", ")}`);
}

/**
 * Finds columns that several files declare again, in types or schemas. Looks only at names of two words or more that
 * a single table has: others mean different things.
 *
 * @param {SourceFile[]} product
 */
function findRepeatedFields(product) {
  const columns = product.flatMap((file) => file.columns);
  const isTable = (/** @type {SourceFile} */ { path }) => path.startsWith(TABLES);
  /** @type {Map<string, Set<string>>} */
  const files = new Map();
  for (const { path, fields } of product.filter((file) => !isTable(file)))
    for (const field of fields) {
      const name = field.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
      files.set(name, (files.get(name) ?? new Set()).add(path));
    }
  return columns
    .filter((name) => /[A-Z]/.test(name) && columns.filter((each) => each === name).length === 1)
    .filter((name) => (files.get(name)?.size ?? 0) > 1)
    .map((name) => `${name}: ${[...(files.get(name) ?? [])].join(", ")}`);
}

/**
 * Finds groups of files that import each other, directly or through others (Tarjan's algorithm).
 *
 * @param {SourceFile[]} product
 * @param {(each: Import) => boolean} counts
 */
function findCycles(product, counts) {
  const targets = new Map(
    product.map(({ path, imports }) => [
      path,
      imports.filter((each) => counts(each) && each.target !== path).map(({ target }) => target),
    ]),
  );
  /** @type {Map<string, { index: number, low: number, isOpen: boolean }>} */
  const seen = new Map();
  /** @type {string[]} */
  const open = [];
  /** @type {string[][]} */
  const cycles = [];
  /** @param {string} path */
  const visit = (path) => {
    const own = { index: seen.size, low: seen.size, isOpen: true };
    seen.set(path, own);
    open.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue;
      const other = seen.get(target) ?? visit(target);
      if (other.isOpen) own.low = Math.min(own.low, other.low);
    }
    if (own.low === own.index) {
      const cycle = open.splice(open.indexOf(path));
      for (const member of cycle) /** @type {typeof own} */ (seen.get(member)).isOpen = false;
      if (cycle.length > 1) cycles.push(cycle);
    }
    return own;
  };
  for (const path of targets.keys()) if (!seen.has(path)) visit(path);
  return cycles
    .filter((cycle) => !cycle.every((path) => path.startsWith(TABLES)))
    .map((cycle) => cycle.toSorted().join(", "));
}

/**
 * Formats the measurements, and the failure message of each rule with more exceptions than allowed.
 *
 * @param {ReturnType<typeof measureStructure>} measured
 * @param {Record<Rule, number>} [allowed]
 */
export function describeStructure({ sizes, found }, allowed = EXCEPTIONS) {
  const rules = /** @type {Rule[]} */ (Object.keys(RULES));
  const rows = [
    ...sizes,
    ...rules.map((rule) => [RULES[rule], `${found[rule].length} of ${allowed[rule]} allowed`]),
  ];
  const width = Math.max(...rows.map(([title]) => title?.length ?? 0));
  const broken = rules.filter((rule) => found[rule].length > allowed[rule]);
  return {
    table: rows.map(([title, value]) => `${title?.padEnd(width)}  ${value}`).join("\n"),
    failures: broken.map(
      (rule) => `Too many ${RULES[rule]}:\n${found[rule].map((each) => `  ${each}`).join("\n")}`,
    ),
  };
}

if (import.meta.filename === argv[1]) {
  const measured = measureStructure();
  const listed = /** @type {Rule | undefined} */ (argv[2]);
  if (listed) console.log(measured.found[listed].join("\n"));
  else {
    const { table, failures } = describeStructure(measured);
    console.log([table, ...failures].join("\n\n"));
    process.exitCode = failures.length > 0 ? 1 : 0;
  }
}
