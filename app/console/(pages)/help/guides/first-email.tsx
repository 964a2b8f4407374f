import { curlSnippet } from "#app/console/(pages)/emails/curl.ts";
import type { Reader, Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";
import { Sample } from "#app/console/(pages)/help/sample.tsx";

const emailOf = ({ domain, email }: Reader) => ({
  from: `Hello <hello@${domain}>`,
  to: email,
  subject: "Hello",
  html: "<p>It works.</p>",
});

const inNode = (reader: Reader) => `import { Resend } from "resend";

const posthouse = new Resend(process.env.POSTHOUSE_API_KEY, { baseUrl: "${reader.url}" });

const { data, error } = await posthouse.emails.send(${JSON.stringify(emailOf(reader), null, 2)});
console.log(data ?? error);
`;

const inPython = (reader: Reader) => `import json, os, urllib.request

email = ${JSON.stringify(emailOf(reader), null, 4)}
request = urllib.request.Request(
    "${reader.url}/emails",
    data=json.dumps(email).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["POSTHOUSE_API_KEY"],
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer)["id"])
`;

const inPhp = (reader: Reader) => `<?php
$email = [
    "from" => "${emailOf(reader).from}",
    "to" => "${reader.email}",
    "subject" => "Hello",
    "html" => "<p>It works.</p>",
];
$answer = file_get_contents("${reader.url}/emails", false, stream_context_create(["http" => [
    "method" => "POST",
    "header" => [
        "Authorization: Bearer " . getenv("POSTHOUSE_API_KEY"),
        "Content-Type: application/json",
    ],
    "content" => json_encode($email),
    "ignore_errors" => true,
]]));
echo $answer;
`;

export const firstEmail = (reader: Reader): Section[] => [
  {
    id: "before",
    title: "What you need",
    body: (
      <ol>
        <li>
          A domain that may send: add it under <PageLink to="domains">Domains</PageLink> and publish
          its records. The code below already has the name of yours once there is one.
        </li>
        <li>
          A key: make one under <PageLink to="api-keys">API keys</PageLink>. A key with sending
          access is enough. Keep it in the environment as <code>POSTHOUSE_API_KEY</code>, never in
          the code.
        </li>
      </ol>
    ),
  },
  {
    id: "curl",
    title: "With curl",
    body: <Sample what="curl command" code={curlSnippet(reader.url, emailOf(reader))} />,
  },
  {
    id: "node",
    title: "With Node",
    body: (
      <>
        <p>
          The SDK of Resend works as it is; only its base URL changes. Install it with{" "}
          <code>npm install resend</code>.
        </p>
        <Sample what="Node program" code={inNode(reader)} />
      </>
    ),
  },
  {
    id: "python",
    title: "With Python",
    body: <Sample what="Python program" code={inPython(reader)} />,
  },
  {
    id: "php",
    title: "With PHP",
    body: <Sample what="PHP program" code={inPhp(reader)} />,
  },
  {
    id: "then",
    title: "What happens then",
    body: (
      <p>
        The answer has the id of the email. Under <PageLink to="emails">Emails</PageLink> you see it
        at once, with everything that happens to it. To hear of that in your program, add a{" "}
        <PageLink to="webhooks">webhook</PageLink>. To make a repeated request harmless, send an{" "}
        <code>Idempotency-Key</code> of your own with it.
      </p>
    ),
  },
];
