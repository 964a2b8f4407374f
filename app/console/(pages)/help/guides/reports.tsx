import type { Reader, Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";

export const reports = ({ domain }: Reader): Section[] => [
  {
    id: "what",
    title: "What they are",
    body: (
      <p>
        Big providers such as Google and Microsoft count the mail that claims to come from{" "}
        <code>{domain}</code>, and send the counts once a day to the address in your DMARC record.
        Posthouse reads them: they are on the domain’s page under{" "}
        <PageLink to="domains">Domains</PageLink>, Reports. The first ones come a day or two after
        the record is published.
      </p>
    ),
  },
  {
    id: "senders",
    title: "Read who sends as you",
    body: (
      <dl>
        <dt>Yours</dt>
        <dd>Passes SPF and DKIM. Nothing to do.</dd>
        <dt>Signed</dt>
        <dd>
          Passes by its DKIM signature alone: forwarded mail, or a service that signs for you.
        </dd>
        <dt>Passes in part</dt>
        <dd>Some of it is signed, some is not: often one program of several was forgotten.</dd>
        <dt>Unknown</dt>
        <dd>
          Passes nothing. If you know the server, such as a newsletter or invoice service, set up
          SPF and DKIM there. If not, somebody pretends to be you: a stricter policy stops them.
        </dd>
      </dl>
    ),
  },
  {
    id: "policy",
    title: "Tighten the policy, step by step",
    body: (
      <ol>
        <li>
          <code>p=none</code>: nothing happens to mail that fails, you only read about it. Stay here
          until all of your own senders pass.
        </li>
        <li>
          <code>p=quarantine</code>: mail that fails goes to spam.
        </li>
        <li>
          <code>p=reject</code>: mail that fails is refused. Nobody can pretend to be you any more.
        </li>
      </ol>
    ),
  },
  {
    id: "tls",
    title: "Encrypted delivery",
    body: (
      <p>
        With the TLS-RPT record others also report how often mail to you came over an encrypted
        connection, and what failed when it did not: most often a certificate that ran out or has
        another name.
      </p>
    ),
  },
];
