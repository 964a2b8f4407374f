import type { GuideContext, GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const reports = ({ domain }: GuideContext): GuideSection[] => [
  {
    id: "what",
    title: "What DMARC reports are",
    body: (
      <p>
        Mailbox providers such as Google and Microsoft count the mail that claims to come from{" "}
        <code>{domain}</code> and send a daily report to the address in your DMARC record. Posthouse
        reads these reports. Open a domain under <ConsoleLink to="domains">Domains</ConsoleLink> and
        select Reports. The first reports arrive a day or two after you publish the record.
      </p>
    ),
  },
  {
    id: "senders",
    title: "Assess your sending sources",
    body: (
      <dl>
        <dt>Authenticated</dt>
        <dd>Passes SPF and DKIM. Nothing to do.</dd>
        <dt>DKIM only</dt>
        <dd>Your forwarded mail, or a service that signs for your domain. Nothing to do.</dd>
        <dt>SPF only</dt>
        <dd>
          Not signed with DKIM, so its mail fails when forwarded. Set up DKIM for this source.
        </dd>
        <dt>Partially passing</dt>
        <dd>
          Only some of its messages are signed. Often, one of several applications isn’t set up.
        </dd>
        <dt>Not set up or unknown</dt>
        <dd>
          Fails SPF and DKIM. If you know the source, such as a newsletter or invoicing service, set
          up SPF and DKIM there. If not, someone is spoofing your domain: a stricter policy stops
          them.
        </dd>
      </dl>
    ),
  },
  {
    id: "policy",
    title: "Tighten your policy step by step",
    body: (
      <ol>
        <li>
          <code>p=none</code>: mail that fails is delivered as usual, and you only get reports. Keep
          this policy until all your own sources pass.
        </li>
        <li>
          <code>p=quarantine</code>: mail that fails goes to spam.
        </li>
        <li>
          <code>p=reject</code>: mail that fails is rejected. Your domain is protected from
          spoofing.
        </li>
      </ol>
    ),
  },
  {
    id: "tls",
    title: "TLS reports",
    body: (
      <p>
        If you publish the TLS-RPT record, other mail servers also report how many deliveries to you
        were encrypted and why others failed. The most common causes are certificates that have
        expired or don’t match the server’s name.
      </p>
    ),
  },
];
