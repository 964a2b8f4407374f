import type { Reader, Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";

export const moving = ({ url, domain }: Reader): Section[] => [
  {
    id: "before",
    title: "A few days before",
    body: (
      <ol>
        <li>
          Add your domain under <PageLink to="domains">Domains</PageLink>, prove that it is yours
          and publish its records for sending. Leave the MX record where it is: mail still goes to
          the old provider.
        </li>
        <li>
          At your DNS provider set the lifetime (TTL) of the MX record to 5 minutes, so that the
          change is quick on the day.
        </li>
        <li>
          Make the mailboxes: export the list of people from the old provider and{" "}
          <PageLink to="mailboxes/import">import</PageLink> it. The columns of Google Workspace and
          Microsoft 365 are recognised. Then make the <PageLink to="groups">groups</PageLink>.
        </li>
        <li>Print the welcome sheets and hand them out.</li>
      </ol>
    ),
  },
  {
    id: "day",
    title: "On the day",
    body: (
      <ol>
        <li>
          Change the MX record of {domain} to the one that its page names. New mail arrives here
          from then on; for some hours a little still goes to the old provider.
        </li>
        <li>
          People choose their password at <code>{url}/account</code> and connect their mail apps at{" "}
          <code>{url}/account/connect</code>.
        </li>
        <li>Send one email from outside and answer it.</li>
      </ol>
    ),
  },
  {
    id: "old",
    title: "Bring the old mail along",
    body: (
      <>
        <p>Mail is copied over IMAP. Both ways leave what is at the old provider untouched.</p>
        <dl>
          <dt>Each person</dt>
          <dd>
            Has both accounts in Thunderbird, Outlook or Apple Mail and copies the folders from one
            to the other.
          </dd>
          <dt>You, for all</dt>
          <dd>
            With a tool such as imapsync. It signs in here with the address and an app password that
            the person makes at their account page; server and port are on the mailbox&rsquo;s page
            under Mail apps. It can be run again: what is there already is skipped.
          </dd>
        </dl>
        <p>Look at the sizes first: a mailbox that is full takes nothing.</p>
      </>
    ),
  },
  {
    id: "after",
    title: "Afterwards",
    body: (
      <ul>
        <li>Run the copy once more after a few days, for what came late.</li>
        <li>Take the old provider out of the SPF record; set the TTL back.</li>
        <li>Keep the old accounts for a month, then close them.</li>
      </ul>
    ),
  },
];
