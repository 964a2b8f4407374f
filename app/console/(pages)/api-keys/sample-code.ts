import { curlSnippet } from "#app/console/(pages)/emails/curl.ts";

export type Sample = { language: string; note: string; code: string };

type Fields = Record<string, string>;

const IN_ENVIRONMENT = "The key is in the environment as POSTHOUSE_API_KEY.";
const IN_CODE = "The key is in it already: in a program of yours, keep it out of the code.";

/**
 * An email in several languages, ready to run.
 *
 * @param token stands in the code; without it the code reads it from the environment
 */
export function sendingSamples(
  baseUrl: string,
  email: Fields & { from: string; to: string; subject: string },
  token?: string,
): Sample[] {
  const [curl, , python] = callSamples(baseUrl, "/emails", email, token);
  const node = {
    language: "Node.js",
    note: `npm install resend. ${token === undefined ? IN_ENVIRONMENT : IN_CODE}`,
    code: [
      `import { Resend } from "resend";`,
      ``,
      `const posthouse = new Resend(${nodeKey(token)}, {`,
      `  baseUrl: ${JSON.stringify(baseUrl)},`,
      `});`,
      ``,
      `const { data, error } = await posthouse.emails.send(${objectOf(email)});`,
      `console.log(error ?? data);`,
    ].join("\n"),
  };
  return [curl!, node, python!];
}

/** Any call of the API that posts some texts, in several languages and without packages. */
export function callSamples(baseUrl: string, path: string, body: Fields, token?: string): Sample[] {
  const note = token === undefined ? IN_ENVIRONMENT : IN_CODE;
  const url = baseUrl + path;
  const curl = curlSnippet(baseUrl, body).replace(`${baseUrl}/emails`, url);
  return [
    {
      ...{ language: "curl", note },
      code: token === undefined ? curl : curl.replace("$POSTHOUSE_API_KEY", token),
    },
    { language: "Node.js", note, code: fetchOf(url, body, token) },
    { language: "Python", note, code: pythonOf(url, body, token) },
  ];
}

const nodeKey = (token: string | undefined) =>
  token === undefined ? "process.env.POSTHOUSE_API_KEY" : JSON.stringify(token);

/** JSON is JavaScript, and texts alone are Python too. */
const linesOf = (fields: Fields, line: (name: string, value: string) => string): string[] =>
  Object.entries(fields).map(([name, value]) => line(name, JSON.stringify(value)));

const objectOf = (fields: Fields, indent = ""): string =>
  ["{", ...linesOf(fields, (name, value) => `${indent}  ${name}: ${value},`), `${indent}}`].join(
    "\n",
  );

function fetchOf(url: string, body: Fields, token: string | undefined): string {
  return [
    `const answer = await fetch(${JSON.stringify(url)}, {`,
    `  method: "POST",`,
    `  headers: {`,
    `    Authorization: "Bearer " + ${nodeKey(token)},`,
    `    "Content-Type": "application/json",`,
    `  },`,
    `  body: JSON.stringify(${objectOf(body, "  ")}),`,
    `});`,
    `console.log(await answer.json());`,
  ].join("\n");
}

function pythonOf(url: string, body: Fields, token: string | undefined): string {
  const key = token === undefined ? `os.environ["POSTHOUSE_API_KEY"]` : JSON.stringify(token);
  return [
    token === undefined ? `import json, os, urllib.request` : `import json, urllib.request`,
    ``,
    `body = {`,
    ...linesOf(body, (name, value) => `    ${JSON.stringify(name)}: ${value},`),
    `}`,
    `request = urllib.request.Request(`,
    `    ${JSON.stringify(url)},`,
    `    data=json.dumps(body).encode(),`,
    `    headers={`,
    `        "Authorization": "Bearer " + ${key},`,
    `        "Content-Type": "application/json",`,
    `    },`,
    `)`,
    `print(urllib.request.urlopen(request).read().decode())`,
  ].join("\n");
}
