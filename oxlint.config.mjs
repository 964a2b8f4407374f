/** The contexts of server/core. Each may import from itself and from those before it, never the other way round. */
const contexts = [
  "shared",
  "platform",
  "webhooks",
  "sending",
  "access",
  "mailboxes",
  "domains",
  "mail",
  "operations",
];

/** lucia is no longer maintained: a single file uses it, so that it can be replaced. */
const LUCIA_FILE = "server/core/access/sessions/internal/session-store.ts";

/**
 * Who may import whom. A file takes the first row whose glob fits it; what the row does not name is
 * out of reach. `type:` allows `import type` only.
 */
const layers = [
  ["drizzle/**", []],
  ["server/config.ts", []],
  ["server/setting-values.ts", []],
  ["server/universal/**", ["#server/universal/", "type:#drizzle/"]],
  ["server/db/**", ["#drizzle/", "#server/config.ts"]],
  ["server/jobs/**", ["#server/db/"]],
  // The SMTP and LMTP client, which other folders use too.
  ["mail/smtp/**", ["#mail/smtp/", "#server/core/shared/"]],
  ["server/gateways/**", ["type:#drizzle/", "#server/config.ts"]],
  ["server/processes/**", ["#server/config.ts"]],
  ["server/postgres/**", ["#server/processes/", "#server/config.ts"]],
  [
    "server/core/sending/compose/**",
    [
      "type:#drizzle/",
      "#server/core/shared/",
      "#server/core/sending/",
      "#server/universal/",
      "#server/processes/program-file.ts",
    ],
  ],
  [LUCIA_FILE, ["#server/db/"]],
  ...contexts.map((context, place) => [
    `server/core/${context}/**`,
    [
      "#server/processes/",
      "#drizzle/",
      "#server/db/",
      "#server/jobs/",
      "#server/gateways/",
      "#server/universal/",
      "#server/config.ts",
      ...(place >= contexts.indexOf("sending") ? ["#mail/smtp/"] : []),
      ...contexts.slice(0, place + 1).map((reachable) => `#server/core/${reachable}/`),
    ],
  ]),
  ["server/core/**", ["#server/core/", "#server/db/", "#drizzle/", "#server/config.ts"]],
  [
    "server/http/**",
    [
      "#server/processes/",
      "#server/db/",
      "#server/core/",
      "#server/http/",
      "#server/universal/",
      "#server/config.ts",
    ],
  ],
  [
    "server/resources/**",
    [
      "type:#drizzle/",
      "#server/core/",
      "#server/http/",
      "#server/resources/",
      "#server/universal/",
      "#server/processes/software-version.ts",
      "#server/config.ts",
    ],
  ],
  [
    "server/web/**",
    [
      "#server/processes/",
      "#server/db/",
      "#server/core/",
      "#server/http/",
      "#server/resources/",
      "#server/gateways/",
      "#server/universal/",
      "#server/config.ts",
      "#server/web/",
    ],
  ],
  [
    "server/main.ts",
    ["#server/processes/", "#server/core/", "#server/web/", "#server/config.ts", "#server/db/"],
  ],
  [
    "server/backup/**",
    [
      "#server/processes/",
      "#server/postgres/",
      "#server/db/",
      "#server/core/",
      "#server/gateways/",
      "#server/backup/",
      "#server/config.ts",
    ],
  ],
  [
    "server/cli/**",
    [
      "#server/backup/",
      "#server/processes/",
      "#server/postgres/",
      "#drizzle/",
      "#server/db/",
      "#server/jobs/",
      "#server/core/",
      "#server/gateways/",
      "#server/config.ts",
      "#server/cli/",
      "#server/universal/",
    ],
  ],
  ["server/testing/**", ["#drizzle/", "#server/", "#worker/", "#mail/"]],
  [
    "worker/**",
    [
      "#server/processes/",
      "type:#drizzle/",
      "#server/core/",
      "#server/db/",
      "#server/jobs/",
      "#server/gateways/",
      "#server/config.ts",
      "#mail/smtp/",
      "#mail/lmtp/",
      "#worker/",
    ],
  ],
  [
    "mail/**",
    [
      "#server/processes/",
      "#server/core/",
      "#server/db/",
      "#server/jobs/",
      "#server/gateways/",
      "#server/config.ts",
      "#mail/",
    ],
  ],
  ["app/**", ["#app/", "#server/universal/", "type:#server/resources/", "type:#server/http/"]],
  ["e2e/**", ["#server/", "#drizzle/"]],
  ["docs/**", []],
  ["bench/**", ["#server/", "#worker/", "#mail/", "#drizzle/"]],
];

/** Packages that only some folders know, so that replacing one stays a small change. */
const confined = {
  "drizzle-orm": [
    "drizzle/",
    "server/db/",
    "server/jobs/",
    "server/core/",
    "server/testing/",
    "bench/",
  ],
  postgres: ["server/db/", "server/testing/", "server/postgres/", "bench/"],
  "graphile-worker": ["worker/", "server/db/", "server/testing/"],
  "smtp-server": ["mail/", "server/testing/"],
  nodemailer: [
    "worker/",
    "mail/",
    "server/gateways/",
    "server/core/sending/compose/",
    "server/testing/",
    "bench/",
  ],
  lucia: [LUCIA_FILE],
  "@lucia-auth": [LUCIA_FILE],
  "acme-client": ["server/gateways/"],
  next: ["app/", "server/web/"],
  react: ["app/"],
  "@mantine": ["app/"],
  "@tanstack": ["app/"],
};

/** What a test may import beside what its subject may. */
const testing = [
  "#server/testing/",
  "#server/db/",
  "#server/config.ts",
  "#drizzle/",
  "#server/core/",
  "#server/postgres/",
];
const ownPrefixes = ["#drizzle/", "#app/", "#worker/", "#mail/", "#server/"];

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

function importRules(glob, allowed, isTest) {
  const values = [
    ...allowed.filter((prefix) => !prefix.startsWith("type:")),
    ...(isTest ? testing : []),
  ];
  const types = allowed
    .filter((prefix) => prefix.startsWith("type:"))
    .map((prefix) => prefix.slice(5))
    .filter((prefix) => !values.includes(prefix));
  const own = ownPrefixes.map(escape).join("|");
  const except = (prefixes) => prefixes.map((prefix) => `(?!${escape(prefix)})`).join("");
  const packages = Object.entries(confined)
    .filter(([, folders]) => !folders.some((folder) => glob.startsWith(folder)))
    .filter(
      ([name]) =>
        !(isTest && ["drizzle-orm", "nodemailer", "smtp-server", "graphile-worker"].includes(name)),
    )
    .map(([name]) => name);
  return {
    "eslint-js/no-restricted-imports": [
      "error",
      {
        patterns: [
          { regex: "^\\.\\./", message: "Use a # import between folders." },
          {
            regex: "^#.*/internal/",
            message: "Import one of the area's public files, not its internal/ folder.",
          },
          {
            regex: `^${except([...values, ...types])}(${own})`,
            message: `Not in reach of ${glob} (oxlint.config.mjs, layers).`,
          },
          ...(types.length
            ? [
                {
                  regex: `^(${types.map(escape).join("|")})`,
                  allowTypeImports: true,
                  message: `Only types are in reach of ${glob}.`,
                },
              ]
            : []),
          ...(packages.length
            ? [
                {
                  regex: `^(${packages.map(escape).join("|")})(/|$)`,
                  message: `Not used in ${glob} (oxlint.config.mjs, confined).`,
                },
              ]
            : []),
        ],
      },
    ],
  };
}

/** The first parameter and the clock in server/core (server/README.md, Conventions in core). */
const coreConventions = (() => {
  const functions = ":matches(:function, TSFunctionType, TSMethodSignature)";
  const typeName = "typeAnnotation.typeAnnotation.typeName.name";
  const withContext = `:function:has(> .params[${typeName}="Context"])`;
  const first = "Make the context or the database handle the first parameter.";
  const scope = "Take the company's context (or `CompanyScope`) instead of `db` and `companyId`.";
  return {
    "eslint-js/no-restricted-syntax": [
      "error",
      { selector: `${functions} > .params[name=/^(ctx|db)$/]:not(:first-child)`, message: first },
      {
        selector: `${functions} > .params[${typeName}=/^(Context|CompanyScope|Db)$/]:not(:first-child)`,
        message: first,
      },
      {
        selector: `${functions}:has(> .params[${typeName}="Db"]) > .params[name="companyId"][typeAnnotation.typeAnnotation.type="TSStringKeyword"]`,
        message: scope,
      },
      {
        selector: `${functions}:has(> .params[${typeName}="Db"]) > ObjectPattern.params[typeAnnotation.typeAnnotation.type="TSTypeLiteral"]:has(> Property[key.name="companyId"])`,
        message: scope,
      },
      {
        selector: `${withContext} :matches(NewExpression[callee.name="Date"][arguments.length=0], CallExpression[callee.object.name="Date"][callee.property.name="now"])`,
        message: "Use ctx.now().",
      },
      {
        selector: "TemplateElement[value.raw=/\\bnow\\(\\)/]",
        message:
          "Use clock_timestamp() to write a time, statement_timestamp() to compare with one.",
      },
    ],
  };
})();

/** Rules of hooks, and those of React's compiler. */
const hooks = [
  "rules-of-hooks",
  "exhaustive-deps",
  "static-components",
  "use-memo",
  "preserve-manual-memoization",
  "incompatible-library",
  "immutability",
  "globals",
  "refs",
  "set-state-in-effect",
  "error-boundaries",
  "purity",
  "set-state-in-render",
  "unsupported-syntax",
];

/**
 * Rules without options: what typescript-eslint calls strict and type-checked, without `no-unsafe-class-instance-assignment`, which Oxlint
 * doesn't have. The types that Next generates in `.next` aren't checked either.
 */
const strict = [
  "eslint/no-var",
  "eslint/prefer-const",
  "eslint/prefer-rest-params",
  "eslint/prefer-spread",
  "typescript/await-thenable",
  "eslint/no-array-constructor",
  "typescript/no-array-delete",
  "typescript/no-base-to-string",
  "typescript/no-deprecated",
  "typescript/no-duplicate-enum-values",
  "typescript/no-duplicate-type-constituents",
  "typescript/no-dynamic-delete",
  "typescript/no-empty-object-type",
  "typescript/no-explicit-any",
  "typescript/no-extra-non-null-assertion",
  "typescript/no-extraneous-class",
  "typescript/no-floating-promises",
  "typescript/no-for-in-array",
  "typescript/no-generated-empty-object-type",
  "typescript/no-implied-eval",
  "typescript/no-invalid-void-type",
  "typescript/no-meaningless-void-operator",
  "typescript/no-misused-new",
  "typescript/no-misused-spread",
  "typescript/no-mixed-enums",
  "typescript/no-namespace",
  "typescript/no-non-null-asserted-nullish-coalescing",
  "typescript/no-non-null-asserted-optional-chain",
  "typescript/no-redundant-type-constituents",
  "typescript/no-require-imports",
  "typescript/no-this-alias",
  "typescript/no-unnecessary-boolean-literal-compare",
  "typescript/no-unnecessary-template-expression",
  "typescript/no-unnecessary-type-arguments",
  "typescript/no-unnecessary-type-assertion",
  "typescript/no-unnecessary-type-constraint",
  "typescript/no-unnecessary-type-conversion",
  "typescript/no-unnecessary-type-parameters",
  "typescript/no-unsafe-argument",
  "typescript/no-unsafe-assignment",
  "typescript/no-unsafe-call",
  "typescript/no-unsafe-declaration-merging",
  "typescript/no-unsafe-enum-assignment",
  "typescript/no-unsafe-enum-comparison",
  "typescript/no-unsafe-function-type",
  "typescript/no-unsafe-member-access",
  "typescript/no-unsafe-return",
  "typescript/no-unsafe-unary-minus",
  "eslint/no-unused-expressions",
  "eslint/no-unused-vars",
  "eslint/no-useless-constructor",
  "typescript/no-useless-default-assignment",
  "typescript/no-wrapper-object-types",
  "typescript/prefer-as-const",
  "typescript/prefer-literal-enum-member",
  "typescript/prefer-namespace-keyword",
  "typescript/prefer-promise-reject-errors",
  "typescript/prefer-reduce-type-parameter",
  "typescript/prefer-return-this-type",
  "typescript/related-getter-setter-pairs",
  "typescript/require-await",
  "typescript/triple-slash-reference",
  "typescript/unbound-method",
  "typescript/unified-signatures",
  "typescript/use-unknown-in-catch-callback-variable",
];

// Oxlint applies the last match.
const layerRules = [...layers].reverse().flatMap(([glob, allowed]) => [
  { files: [glob], rules: importRules(glob, allowed, false) },
  {
    files: [glob.endsWith("/**") ? `${glob}/*.test.{ts,tsx}` : glob.replace(/\.ts$/, ".test.ts")],
    rules: importRules(glob, allowed, true),
  },
]);

export default {
  plugins: ["typescript", "react"],
  jsPlugins: [{ name: "eslint-js", specifier: "oxlint-plugin-eslint" }],
  // Only the rules below.
  categories: { correctness: "off" },
  options: { typeAware: true, typeCheck: true },
  ignorePatterns: [
    "dist/",
    ".next/",
    "node_modules/",
    "data/",
    "next-env.d.ts",
    "test-results/",
    "playwright-report/",
  ],
  overrides: [
    {
      files: ["**/*.{ts,tsx,mts}"],
      rules: {
        ...Object.fromEntries(strict.map((rule) => [rule, "error"])),
        "eslint/max-lines": ["error", 400],
        "eslint/complexity": ["error", 10],
        "eslint/no-console": "error",
        "typescript/switch-exhaustiveness-check": [
          "error",
          { considerDefaultExhaustiveForUnions: true },
        ],
        "typescript/consistent-type-imports": "error",
        "typescript/restrict-template-expressions": [
          "error",
          { allowNumber: true, allowBoolean: true },
        ],
        "typescript/restrict-plus-operands": [
          "error",
          {
            allowAny: false,
            allowBoolean: false,
            allowNullish: false,
            allowNumberAndString: false,
            allowRegExp: false,
          },
        ],
        "typescript/return-await": ["error", "error-handling-correctness-only"],
        "typescript/ban-ts-comment": ["error", { minimumDescriptionLength: 10 }],
        "typescript/no-confusing-void-expression": [
          "error",
          { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
        ],
        "typescript/no-misused-promises": ["error", { checksVoidReturn: { attributes: false } }],
        "typescript/no-unnecessary-condition": ["error", { allowConstantLoopConditions: true }],
      },
    },
    // Only app/ may import React (confined).
    {
      files: ["app/**/*.{ts,tsx}"],
      rules: Object.fromEntries(hooks.map((rule) => [`react/${rule}`, "error"])),
    },
    { files: ["server/cli/**", "bench/**"], rules: { "eslint/no-console": "off" } },
    {
      files: ["server/core/**"],
      excludeFiles: ["server/core/shared/context.ts", "**/*.test.ts"],
      rules: coreConventions,
    },
    {
      files: ["**/*.test.{ts,tsx}", "e2e/**"],
      rules: { "eslint/max-lines": ["error", 500] },
    },
    // A file has all texts of a language.
    { files: ["server/universal/texts/{en,de}.ts"], rules: { "eslint/max-lines": "off" } },
    ...layerRules,
  ],
};
