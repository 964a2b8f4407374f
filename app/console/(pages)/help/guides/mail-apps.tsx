import { Anchor } from "@mantine/core";

import type { Reader, Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";

export const mailApps = ({ url }: Reader): Section[] => [
  {
    id: "easy",
    title: "The short way",
    body: (
      <p>
        Send the person to{" "}
        <Anchor href="/account/connect" inherit underline="always">
          {url}/account/connect
        </Anchor>
        . It has the settings for their address, step by step for Outlook, Thunderbird, Apple Mail
        and Android, and a code to scan with a phone. Most apps find everything by themselves once
        the domain’s records for mail apps are published.
      </p>
    ),
  },
  {
    id: "password",
    title: "Which password",
    body: (
      <ul>
        <li>
          A new mailbox has a temporary password. The person signs in at <code>{url}/account</code>{" "}
          and chooses their own; before that no app can sign in.
        </li>
        <li>
          For each app a password of its own is better: made under App passwords, revoked alone when
          a phone is lost.
        </li>
        <li>
          You reset a forgotten one on the mailbox’s page under{" "}
          <PageLink to="mailboxes">Mailboxes</PageLink>.
        </li>
      </ul>
    ),
  },
  {
    id: "hand",
    title: "By hand",
    body: (
      <ul>
        <li>The user name is always the whole address.</li>
        <li>IMAP with TLS, usually port 993; POP3 with TLS, 995.</li>
        <li>
          SMTP with TLS, usually port 465, or STARTTLS on 587, with the same name and password.
        </li>
        <li>Never choose “no encryption”: the server takes no password without it.</li>
      </ul>
    ),
  },
  {
    id: "trouble",
    title: "When it does not connect",
    body: (
      <ul>
        <li>
          “Wrong password” for everybody of one office: too many failures came from its address.
        </li>
        <li>
          For one person: the mailbox may be suspended, or the temporary password still stands.
        </li>
        <li>
          A warning about the certificate: the server’s name is not the one in the certificate.
        </li>
      </ul>
    ),
  },
];
