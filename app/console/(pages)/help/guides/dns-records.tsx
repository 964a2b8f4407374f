import type { Reader, Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";

export const dnsRecords = ({ domain }: Reader): Section[] => [
  {
    id: "why",
    title: "Why records at all",
    body: (
      <p>
        Anybody can write <code>{`hello@${domain}`}</code> as a sender. Records in the domain’s DNS
        are how other mail servers tell that it was you: without them mail goes to spam, or nowhere.
      </p>
    ),
  },
  {
    id: "which",
    title: "What each one does",
    body: (
      <dl>
        <dt>Ownership (TXT)</dt>
        <dd>Proves that the name is yours. Nothing can be sent or received for it before.</dd>
        <dt>SPF (TXT)</dt>
        <dd>
          Lists the servers that may send for the domain. There may be one such record only: if you
          have one, it is extended, not doubled.
        </dd>
        <dt>DKIM (TXT)</dt>
        <dd>Holds the public key of the signature that every email of yours carries.</dd>
        <dt>DMARC (TXT)</dt>
        <dd>
          Says what others should do with mail that fails both, and where to report it. Begin with{" "}
          <code>p=none</code>, read the reports, then tighten it.
        </dd>
        <dt>MX</dt>
        <dd>Leads the domain’s incoming mail here. Only needed if you want mailboxes.</dd>
      </dl>
    ),
  },
  {
    id: "publish",
    title: "Publish them",
    body: (
      <ol>
        <li>
          Open the domain under <PageLink to="domains">Domains</PageLink> and choose your DNS
          provider: hosts and values are then written as it takes them.
        </li>
        <li>Copy each value as a whole, without quotes or line breaks.</li>
        <li>
          Press “Check now”. The domain’s own name servers are asked, so there is nothing to wait
          for but your provider.
        </li>
      </ol>
    ),
  },
  {
    id: "later",
    title: "Later",
    body: (
      <p>
        Records are looked at about every hour. Sending stops only when two checks an hour apart
        find that SPF or DKIM is gone; a name server that does not answer never stops it.
      </p>
    ),
  },
];
