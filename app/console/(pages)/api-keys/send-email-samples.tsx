import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { curlSnippet } from "#app/console/(pages)/emails/email-code.ts";
import { meQuery } from "#app/console/session.ts";
import { type CodeSample, CodeSamples } from "#app/console/ui/tabs.tsx";

type SendEmailSamplesProps = { token?: string; domain?: string | undefined };

/**
 * Ready-to-run code that sends an email from one of the company's domains to the reader.
 *
 * @param token an API key that was just created
 * @param domain the only domain that the key can send from
 */
export function SendEmailSamples({ token, domain }: SendEmailSamplesProps) {
  const me = useQuery(meQuery);
  if (!me.data) return null;
  const from = domain ?? me.data.company.sendingDomain;
  const email = {
    from: `Hello <hello@${from ?? "your-domain.example"}>`,
    to: me.data.email,
    subject: "Hello from Posthouse",
    text: "It works.",
  };
  return (
    <div>
      {from === null && (
        <Text size="sm" mb="xs">
          You need a verified domain to send emails. Once you have one, replace your-domain.example
          with it.
        </Text>
      )}
      <CodeSamples samples={sendEmailSamples(window.location.origin, email, token)} />
    </div>
  );
}

type Fields = Record<string, string>;

const KEY_FROM_ENVIRONMENT = "Reads your API key from the POSTHOUSE_API_KEY environment variable.";

const KEY_IN_CODE =
  "This code contains your API key. In production, keep the key out of your code.";

/**
 * Ready-to-run code that sends an email, in several languages.
 *
 * @param token API key to put into the code; without it, the code reads the key from the environment
 */
export function sendEmailSamples(
  baseUrl: string,
  email: Fields & { from: string; to: string; subject: string },
  token?: string,
): CodeSample[] {
  const [curl, , python] = requestSamples(baseUrl, "/emails", email, token);
  const node = {
    language: "Node.js",
    note: `Install the SDK with npm install resend. ${token === undefined ? KEY_FROM_ENVIRONMENT : KEY_IN_CODE}`,
    code: [
      `import { Resend } from "resend";`,
      ``,
      `const posthouse = new Resend(${nodeKey(token)}, {`,
      `  baseUrl: ${JSON.stringify(baseUrl)},`,
      `});`,
      ``,
      `const { data, error } = await posthouse.emails.send(${objectLiteral(email)});`,
      `console.log(error ?? data);`,
    ].join("\n"),
  };
  return [curl!, node, python!];
}

/** Code for an API request that posts a flat JSON object, in several languages and without dependencies. */
export function requestSamples(
  baseUrl: string,
  path: string,
  body: Fields,
  token?: string,
): CodeSample[] {
  const note = token === undefined ? KEY_FROM_ENVIRONMENT : KEY_IN_CODE;
  const url = baseUrl + path;
  const curl = curlSnippet(baseUrl, body).replace(`${baseUrl}/emails`, url);
  return [
    {
      language: "curl",
      note,
      code: token === undefined ? curl : curl.replace("$POSTHOUSE_API_KEY", token),
    },
    { language: "Node.js", note, code: fetchSample(url, body, token) },
    { language: "Python", note, code: pythonSample(url, body, token) },
  ];
}

const nodeKey = (token: string | undefined) =>
  token === undefined ? "process.env.POSTHOUSE_API_KEY" : JSON.stringify(token);

/** Formats fields as object lines. A JSON string is valid in JavaScript and in Python. */
const fieldLines = (fields: Fields, line: (name: string, value: string) => string): string[] =>
  Object.entries(fields).map(([name, value]) => line(name, JSON.stringify(value)));

const objectLiteral = (fields: Fields, indent = ""): string =>
  ["{", ...fieldLines(fields, (name, value) => `${indent}  ${name}: ${value},`), `${indent}}`].join(
    "\n",
  );

function fetchSample(url: string, body: Fields, token: string | undefined): string {
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: "POST",`,
    `  headers: {`,
    `    Authorization: "Bearer " + ${nodeKey(token)},`,
    `    "Content-Type": "application/json",`,
    `  },`,
    `  body: JSON.stringify(${objectLiteral(body, "  ")}),`,
    `});`,
    `console.log(await response.json());`,
  ].join("\n");
}

function pythonSample(url: string, body: Fields, token: string | undefined): string {
  const key = token === undefined ? `os.environ["POSTHOUSE_API_KEY"]` : JSON.stringify(token);
  return [
    token === undefined ? `import json, os, urllib.request` : `import json, urllib.request`,
    ``,
    `body = {`,
    ...fieldLines(body, (name, value) => `    ${JSON.stringify(name)}: ${value},`),
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
