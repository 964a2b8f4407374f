import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";
import type { GuideContext, GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { GuideSample } from "#app/console/(pages)/help/sample.tsx";

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

const inNode = ({ url, domain, email }: GuideContext) => `import { Resend } from "resend";

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

const inCurl = ({ url, domain, email }: GuideContext) => `curl ${url}/emails \\
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

export const templates = (reader: GuideContext): GuideSection[] => [
  {
    id: "write",
    title: "Write a template",
    body: (
      <>
        <p>
          Create it under <ConsoleLink to="templates">Templates</ConsoleLink> or through the API.
          Write variables as <code>{"{{{NAME}}}"}</code> in the subject, the HTML, and the text. A
          variable can have a fallback value; without one, each email must provide a value.
        </p>
        <p>
          Values are inserted as they are, also into HTML. Escape what your users have entered
          before you send it, or they can change your email. There are no conditions or loops.
        </p>
      </>
    ),
  },
  {
    id: "publish",
    title: "Publish it",
    body: (
      <p>
        Changes are drafts until you publish them: emails keep using the published version. The
        newest 20 versions are kept, and you can restore any of them as a draft.
      </p>
    ),
  },
  {
    id: "send",
    title: "Send it",
    body: (
      <>
        <p>
          Name the template by its ID or alias in place of <code>html</code> and <code>text</code>.
          The email’s own <code>from</code>, <code>subject</code>, and <code>reply_to</code>{" "}
          override the template’s. The content is fixed when the email is accepted, even if it is
          scheduled.
        </p>
        <GuideSample what="Node.js example" code={inNode(reader)} />
        <GuideSample what="curl command" code={inCurl(reader)} />
        <p>
          You can also choose a template when you write an email under{" "}
          <ConsoleLink to="emails">Emails</ConsoleLink>.
        </p>
      </>
    ),
  },
];
