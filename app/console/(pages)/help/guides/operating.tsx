import { type Guide, GuideSample, GuideSection } from "#app/console/(pages)/help/guide-section.tsx";
import { ConsoleLink } from "#app/console/ui/links.tsx";

const tracing = (): Guide => (
  <>
    <GuideSection id="in" title="Missing incoming mail">
      <p>
        Search the <ConsoleLink to="mail-log">mail log</ConsoleLink> for the sender. It contains
        this server’s response for each recipient and goes back seven days.
      </p>
      <ul>
        <li>
          Received: the message is in the mailbox or its Junk folder. Use the Message-ID to match it
          with the sender’s records.
        </li>
        <li>Waiting: it’s in quarantine, or a moderator of the group needs to approve it.</li>
        <li>Deferred: the sender’s server was asked to retry later.</li>
        <li>Rejected: the sender got our response. The entry explains how to fix the cause.</li>
        <li>
          Not listed: the message never reached this server. Check the domain’s MX record, and ask
          the sender for their delivery log.
        </li>
      </ul>
      <p>
        <ConsoleLink to="mailboxes/route">Where does this address go?</ConsoleLink> shows which
        mailboxes receive mail to an address, and what would keep it from arriving.
      </p>
    </GuideSection>
    <GuideSection id="out" title="Missing outgoing mail">
      <p>
        The tab <ConsoleLink to="mail-log?tab=outgoing">Delivery attempts</ConsoleLink> shows each
        response of the recipient’s mail server. Open an entry to see all attempts for the message.
      </p>
      <ul>
        <li>
          Delivered: the recipient’s mail server accepted the message. It may be in their spam
          folder.
        </li>
        <li>
          Delayed: Posthouse retries at increasing intervals, for two days if it was sent through
          the API, otherwise for five.
        </li>
        <li>Bounced: delivery failed permanently. The sender is notified or sees it in Emails.</li>
        <li>Not sent: Posthouse skipped it, for example because it was suppressed.</li>
      </ul>
    </GuideSection>
    <GuideSection id="hold" title="Put mail on hold">
      <p>
        As the operator: if a provider defers much of your mail, put its destination on hold in the{" "}
        <ConsoleLink to="operate/queue">queue</ConsoleLink>. Posthouse then makes no attempts, and
        no message expires, until you release the hold. You can also put all mail of a company on
        hold. Mail that you drop is never sent, and its senders are notified.
      </p>
    </GuideSection>
  </>
);

const nightly = `npx posthouse settings set backup_to sftp://user@host/path`;

const now = `npx posthouse backup`;

const everything = `npx posthouse restore --list --from sftp://user@host/path
POSTHOUSE_BACKUP_KEY=… npx posthouse restore --replace --from sftp://user@host/path`;

const mailbox = `npx posthouse restore --mailbox ann@example.com --from sftp://user@host/path`;

const backup = (): Guide => (
  <>
    <GuideSection id="how" title="Back up">
      <p>
        Posthouse backs itself up every night while it runs, and verifies each backup by restoring
        it. By default, backups stay on the same disk. Set a destination on another machine: SFTP,
        S3, or a mounted folder. Then changes are stored every five minutes, too.
      </p>
      <GuideSample what="Command to set the destination" code={nightly} />
      <p>To back up right now:</p>
      <GuideSample what="Command to back up" code={now} />
      <p>
        The first backup prints a recovery key. Keep it outside this server: without it, the backups
        can’t be read.
      </p>
    </GuideSection>
    <GuideSection id="external" title="External database">
      <p>
        If you use an external Postgres database (<code>DATABASE_URL</code>), back it up with its
        own tools first, then the data folder (<code>POSTHOUSE_DATA</code>). The folder contains all
        mail and <code>keys/</code>. Without the keys, encrypted values in the database can’t be
        read: DKIM keys, signing secrets, and second factors.
      </p>
    </GuideSection>
    <GuideSection id="restore" title="Restore">
      <p>Restore with the same or a newer version of Posthouse and the same settings:</p>
      <GuideSample what="Commands to restore" code={everything} />
      <p>
        If Posthouse is installed as a service, the command stops it and starts it again. Otherwise,
        stop Posthouse first and start it afterward. The previous data is moved aside. Then run{" "}
        <code>npx posthouse doctor</code>: it checks every component and sends a test email through
        all of them.
      </p>
      <p>To restore one mailbox while Posthouse runs:</p>
      <GuideSample what="Command to restore a mailbox" code={mailbox} />
      <p>The messages are added below a folder named Restored, with the backup’s day.</p>
    </GuideSection>
  </>
);

const newer = `git clone "$(git remote get-url origin)" ../posthouse-new
cd ../posthouse-new
npx posthouse upgrade`;

const image = `docker build -f docker/Dockerfile -t posthouse:new .
sh docker/upgrade.sh posthouse:new`;

const upgrade = (): Guide => (
  <>
    <GuideSection id="how" title="How">
      <p>
        Get the new version into a folder of its own. Run this as root, in the clone that you
        installed from:
      </p>
      <GuideSample what="Commands to upgrade" code={newer} />
      <p>
        Posthouse makes a backup, and then restarts the service with the new version. If that
        doesn’t start, the previous version and its data come back. Admins with an open console are
        asked to reload pages that have changed.
      </p>
    </GuideSection>
    <GuideSection id="docker" title="With Docker">
      <p>
        In the clone, build the new image and run <code>upgrade.sh</code> with it. If your release
        comes with an image, use that one instead:
      </p>
      <GuideSample what="Command to upgrade with Docker" code={image} />
    </GuideSection>
    <GuideSection id="back" title="Downgrade">
      <p>
        Older versions can’t use a newer database. To go back after an upgrade that succeeded,
        restore the backup it made, with the previous version.
      </p>
    </GuideSection>
  </>
);

export const operatingGuides = { tracing, backup, upgrade };
