import { curlSnippet } from "#app/console/(pages)/emails/email-code.ts";
import {
  type Guide,
  type GuideContext,
  GuideSample,
  GuideSection,
} from "#app/console/(pages)/help/guide-section.tsx";
import { SignatureSamples } from "#app/console/(pages)/webhooks/signature-samples.tsx";
import { ConsoleLink } from "#app/console/ui/links.tsx";

const emailOf = ({ domain, email }: GuideContext) => ({
  from: `Hello <hello@${domain}>`,
  to: email,
  subject: "Hello",
  html: "<p>It works.</p>",
});

const emailInNode = (reader: GuideContext) => `import { Resend } from "resend";

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

const firstEmail = (reader: GuideContext): Guide => (
  <>
    <GuideSection id="before" title="What you need">
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
    </GuideSection>
    <GuideSection id="curl" title="curl">
      <GuideSample what="curl command" code={curlSnippet(reader.url, emailOf(reader))} />
    </GuideSection>
    <GuideSection id="node" title="Node.js">
      <p>
        Use the Resend SDK with the base URL of your Posthouse server. Install it with{" "}
        <code>npm install resend</code>.
      </p>
      <GuideSample what="Node.js example" code={emailInNode(reader)} />
    </GuideSection>
    <GuideSection id="python" title="Python">
      <GuideSample what="Python example" code={inPython(reader)} />
    </GuideSection>
    <GuideSection id="php" title="PHP">
      <GuideSample what="PHP example" code={inPhp(reader)} />
    </GuideSection>
    <GuideSection id="then" title="Next steps">
      <p>
        The response contains the ID of the email. Follow its delivery under{" "}
        <ConsoleLink to="emails">Emails</ConsoleLink>. To receive delivery events in your
        application, create a <ConsoleLink to="webhooks">webhook</ConsoleLink>. To retry requests
        safely, send a unique <code>Idempotency-Key</code> header with each email.
      </p>
    </GuideSection>
  </>
);

const ORDER = {
  name: "Order shipped",
  alias: "order-shipped",
  subject: "Your order {{{ORDER}}}",
  html: "<p>Hi {{{CUSTOMER}}}, your order {{{ORDER}}} has shipped.</p>",
  variables: [
    { key: "CUSTOMER", type: "string", fallbackValue: "there" },
    { key: "ORDER", type: "number" },
  ],
};

const templateInNode = ({ url, domain, email }: GuideContext) => `import { Resend } from "resend";

const posthouse = new Resend(process.env.POSTHOUSE_API_KEY, { baseUrl: "${url}" });

// Once: needs an API key with full access.
await posthouse.templates.create(${JSON.stringify(ORDER, null, 2)}).publish();

// For each order:
const { data, error } = await posthouse.emails.send({
  from: "Hello <hello@${domain}>",
  to: "${email}",
  template: { id: "order-shipped", variables: { CUSTOMER: "Ann", ORDER: 1042 } },
});
console.log(data ?? error);
`;

const templateInCurl = ({ url, domain, email }: GuideContext) => `curl ${url}/emails \\
  -H "Authorization: Bearer $POSTHOUSE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(
    {
      from: `hello@${domain}`,
      to: email,
      template: { id: "order-shipped", variables: { CUSTOMER: "Ann", ORDER: 1042 } },
    },
    null,
    2,
  )}'
`;

const templates = (reader: GuideContext): Guide => (
  <>
    <GuideSection id="write" title="Write a template">
      <p>
        Create it under <ConsoleLink to="templates">Templates</ConsoleLink> or through the API.
        Write variables as <code>{"{{{NAME}}}"}</code> in the subject, the HTML, and the text. A
        variable can have a fallback value; without one, each email must provide a value.
      </p>
      <p>
        Values are inserted as they are, also into HTML. Escape what your users have entered before
        you send it, or they can change your email. There are no conditions or loops.
      </p>
    </GuideSection>
    <GuideSection id="publish" title="Publish it">
      <p>
        Changes are drafts until you publish them: emails keep using the published version. The
        newest 20 versions are kept, and you can restore any of them as a draft.
      </p>
    </GuideSection>
    <GuideSection id="send" title="Send it">
      <p>
        Name the template by its ID or alias in place of <code>html</code> and <code>text</code>.
        The email’s own <code>from</code>, <code>subject</code>, and <code>reply_to</code> override
        the template’s. The content is fixed when the email is accepted, even if it is scheduled.
      </p>
      <GuideSample what="Node.js example" code={templateInNode(reader)} />
      <GuideSample what="curl command" code={templateInCurl(reader)} />
      <p>
        You can also choose a template when you write an email under{" "}
        <ConsoleLink to="emails">Emails</ConsoleLink>.
      </p>
    </GuideSection>
  </>
);

const webhooks = (): Guide => (
  <>
    <GuideSection id="what" title="What a webhook is">
      <p>
        Posthouse sends a POST request to your webhook endpoint when an event occurs, for example
        when an email is delivered, bounces, or is opened, or when a domain changes. Create a
        webhook under <ConsoleLink to="webhooks">Webhooks</ConsoleLink> and choose its events.
      </p>
    </GuideSection>
    <GuideSection id="answer" title="Respond to events">
      <ul>
        <li>Respond with a 2xx status within 10 seconds, then process the event.</li>
        <li>
          Posthouse retries all other responses after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5
          hours, 10 hours, and 10 hours. After that, the event is marked as failed. You can replay
          it for 30 days.
        </li>
        <li>
          After 100 failed attempts in a row, Posthouse disables the webhook and notifies the admins
          who can manage webhooks. Pending events are delivered when you enable it again.
        </li>
        <li>
          Events can arrive more than once or out of order. Store the <code>webhook-id</code>{" "}
          header, which is the same for every attempt, to ignore duplicates.
        </li>
      </ul>
    </GuideSection>
    <GuideSection id="verify" title="Verify signatures">
      <p>
        Anyone who knows your endpoint can send requests to it. Verify the signature to make sure
        that they come from Posthouse. Find the signing secret on the webhook’s page under Signing.
      </p>
      <SignatureSamples />
    </GuideSection>
    <GuideSection id="try" title="Test your endpoint">
      <p>
        Open a webhook and click <b>Send test event</b>. The event’s page shows every attempt with
        the response of your endpoint.
      </p>
    </GuideSection>
  </>
);

const receiving = ({ domain }: GuideContext): Guide => (
  <>
    <GuideSection id="what" title="What an inbound address is">
      <p>
        Mail to an inbound address, such as <code>{`support@${domain}`}</code>, goes to your
        programs instead of a mailbox. A catch-all, such as <code>{`*@reply.${domain}`}</code>,
        receives mail to all addresses of a domain that don’t exist. Create both under{" "}
        <ConsoleLink to="receiving">Receiving</ConsoleLink>. The domain’s MX record must point to
        this server.
      </p>
    </GuideSection>
    <GuideSection id="events" title="What your programs receive">
      <p>
        Each email fires the webhook event <code>email.received</code>, which has its addresses, its
        subject, and its attachments’ names. The endpoint <code>GET /emails/receiving</code> has the
        text, the HTML, the headers, and links that download files for an hour.
      </p>
    </GuideSection>
    <GuideSection id="checks" title="Forged mail and spam">
      <p>
        Anyone can write anything into From. Trust it only if DMARC is <code>pass</code>. Mail that
        fails a DMARC policy of <code>reject</code>, and the worst spam, is rejected, as for
        mailboxes. Other spam is delivered and marked. Messages with a virus go to{" "}
        <ConsoleLink to="quarantine">Quarantine</ConsoleLink>.
      </p>
    </GuideSection>
    <GuideSection id="replies" title="Replies">
      <p>
        A reply to an email that you sent with the API appears in that email’s timeline, and fires{" "}
        <code>email.replied</code>, whether a mailbox, a group, or an inbound address receives it.
        Bounces and automatic replies don’t count.
      </p>
    </GuideSection>
  </>
);

const bounces = (): Guide => (
  <>
    <GuideSection id="outcomes" title="Delivery statuses">
      <dl>
        <dt>Delivered</dt>
        <dd>
          The recipient’s mail server accepted the email. Mail servers don’t report whether it
          landed in the inbox or in spam.
        </dd>
        <dt>Delayed</dt>
        <dd>The recipient’s mail server deferred the email. Posthouse retries automatically.</dd>
        <dt>Bounced</dt>
        <dd>
          The recipient’s mail server rejected the email permanently, usually because the mailbox
          doesn’t exist.
        </dd>
        <dt>Complained</dt>
        <dd>The recipient marked the email as spam, and their provider reported it.</dd>
        <dt>Suppressed</dt>
        <dd>The email wasn’t sent because the address is on your suppression list.</dd>
      </dl>
    </GuideSection>
    <GuideSection id="why" title="Why addresses are suppressed">
      <p>
        Mailbox providers rate senders by their bounces and complaints. To protect your reputation,
        Posthouse adds addresses that bounce permanently, complain or unsubscribe to your{" "}
        <ConsoleLink to="suppressions">suppression list</ConsoleLink> and stops sending to them. The
        list applies to your company only. Other recipients of the same email still receive it.
      </p>
    </GuideSection>
    <GuideSection id="act" title="What to do">
      <ul>
        <li>Open the email to read the response of the recipient’s mail server.</li>
        <li>
          Remove an address from the list once you know that it works again. If it bounces again,
          Posthouse adds it back.
        </li>
        <li>
          Don’t remove an address that complained or unsubscribed unless its owner asks you to.
        </li>
        <li>
          Keep your bounce rate below 2% and your complaint rate below 0.1%. Higher rates usually
          mean old or purchased addresses. See your rates under{" "}
          <ConsoleLink to="metrics">Metrics</ConsoleLink>.
        </li>
      </ul>
    </GuideSection>
  </>
);

const errorResponse = JSON.stringify(
  { statusCode: 422, name: "missing_required_field", message: "Missing required field: to" },
  null,
  2,
);

const limits = ({ url }: GuideContext): Guide => (
  <>
    <GuideSection id="error" title="Error responses">
      <p>
        Every error has the following body. Check <code>name</code> in your code: it never changes.
        The <code>message</code> is for humans and can change.
      </p>
      <GuideSample what="Error response" code={errorResponse} />
    </GuideSection>
    <GuideSection id="again" title="When to retry">
      <dl>
        <dt>429</dt>
        <dd>
          You exceeded a rate limit or quota. Wait for the number of seconds in the{" "}
          <code>retry-after</code> header.
        </dd>
        <dt>5xx or no response</dt>
        <dd>
          Retry with the same <code>Idempotency-Key</code>. The email is sent once, even if several
          requests arrive. Keys expire after 24 hours.
        </dd>
        <dt>Other 4xx</dt>
        <dd>Don’t retry. Fix the request first.</dd>
      </dl>
    </GuideSection>
    <GuideSection id="limits" title="Limits">
      <ul>
        <li>Requests: 10 per second per company, unless your operator changed the limit.</li>
        <li>Recipients: 50 addresses in each address field of an email.</li>
        <li>Batches: 100 emails per request.</li>
        <li>Scheduled emails: up to 30 days ahead.</li>
        <li>Recipients per hour and per month: depends on your plan.</li>
      </ul>
    </GuideSection>
    <GuideSection id="more" title="API reference">
      <p>
        The <a href="/docs">API reference</a> at <code>{url}/docs</code> lists the limits and errors
        of every endpoint.
      </p>
    </GuideSection>
  </>
);

export const sendingGuides = {
  "first-email": firstEmail,
  templates,
  webhooks,
  receiving,
  bounces,
  limits,
};
