import { curlSnippet } from "#app/console/(pages)/emails/email-code.ts";
import type { GuideContext, GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";
import { GuideSample } from "#app/console/(pages)/help/sample.tsx";

const emailOf = ({ domain, email }: GuideContext) => ({
  from: `Hello <hello@${domain}>`,
  to: email,
  subject: "Hello",
  html: "<p>It works.</p>",
});

const inNode = (reader: GuideContext) => `import { Resend } from "resend";

const posthouse = new Resend(process.env.POSTHOUSE_API_KEY, { baseUrl: "${reader.url}" });

const { data, error } = await posthouse.emails.send(${JSON.stringify(emailOf(reader), null, 2)});
console.log(data ?? error);
`;

const inPython = (reader: GuideContext) => `import json, os, urllib.request

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

const inPhp = (reader: GuideContext) => `<?php
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

export const firstEmail = (reader: GuideContext): GuideSection[] => [
  {
    id: "before",
    title: "What you need",
    body: (
      <ol>
        <li>
          A verified domain. Create it under <ConsoleLink to="domains">Domains</ConsoleLink> and
          publish its DNS records. The examples below then use your domain.
        </li>
        <li>
          An API key. Create it under <ConsoleLink to="api-keys">API keys</ConsoleLink>. Sending
          access is sufficient. Store the key in the <code>POSTHOUSE_API_KEY</code> environment
          variable, not in your code.
        </li>
      </ol>
    ),
  },
  {
    id: "curl",
    title: "curl",
    body: <GuideSample what="curl command" code={curlSnippet(reader.url, emailOf(reader))} />,
  },
  {
    id: "node",
    title: "Node.js",
    body: (
      <>
        <p>
          Use the Resend SDK with the base URL of your Posthouse server. Install it with{" "}
          <code>npm install resend</code>.
        </p>
        <GuideSample what="Node.js example" code={inNode(reader)} />
      </>
    ),
  },
  {
    id: "python",
    title: "Python",
    body: <GuideSample what="Python example" code={inPython(reader)} />,
  },
  {
    id: "php",
    title: "PHP",
    body: <GuideSample what="PHP example" code={inPhp(reader)} />,
  },
  {
    id: "then",
    title: "Next steps",
    body: (
      <p>
        The response contains the ID of the email. Follow its delivery under{" "}
        <ConsoleLink to="emails">Emails</ConsoleLink>. To receive delivery events in your
        application, create a <ConsoleLink to="webhooks">webhook</ConsoleLink>. To retry requests
        safely, send a unique <code>Idempotency-Key</code> header with each email.
      </p>
    ),
  },
];
