import { QrCode } from "#app/console/ui/code.tsx";

import type { SetUp } from "./queries.ts";
import classes from "./welcome-sheet.module.css";

const SECURITY = { implicit: "SSL/TLS", starttls: "STARTTLS" } as const;

/** One printed page with sign-in and setup instructions. */
export function WelcomeSheet({
  setUp,
  password,
  company,
}: {
  setUp: SetUp;
  password: string;
  company: string;
}) {
  return (
    <article className={classes.sheet} aria-label={`Welcome sheet for ${setUp.id}`}>
      <header className={classes.head}>
        <p className={classes.company}>{company}</p>
        <h1 className={classes.title}>Your mailbox</h1>
        <p>Welcome, {setUp.name}. Here’s everything you need to get started.</p>
      </header>
      <dl className={classes.access}>
        <dt>Address</dt>
        <dd className={classes.mono}>{setUp.id}</dd>
        <dt>Temporary password</dt>
        <dd className={classes.password}>{password}</dd>
      </dl>
      <ol className={classes.steps}>
        <li>
          <h2>Set a new password</h2>
          <p>
            Open <strong className={classes.mono}>{setUp.accountUrl}</strong> in a browser, sign in
            with the address and the temporary password, and set a new one. After that, you can sign
            in from mail apps.
          </p>
        </li>
        <li className={classes.phone}>
          <div>
            <h2>Connect your phone and your mail app</h2>
            <p>
              Scan the code with your phone’s camera to open the settings. On an iPhone or iPad, you
              can install a profile that enters them for you. Outlook and Thunderbird find the
              settings automatically; for other apps, enter the settings below.
            </p>
          </div>
          <QrCode
            qr={setUp.qr}
            url={setUp.phoneUrl}
            label="QR code that opens the settings on a phone"
          />
        </li>
      </ol>
      <ServerSettings setUp={setUp} />
      <footer className={classes.foot}>
        Your username is your full email address. No one will ever ask you for your password.
        Destroy this sheet once you’ve set a new password.
      </footer>
    </article>
  );
}

/** The preferred server for each purpose; POP3 only without IMAP. */
function ServerSettings({ setUp: { imap, pop3, smtp } }: { setUp: SetUp }) {
  const reading = imap[0] ?? pop3[0];
  const rows = [
    { label: imap[0] ? "Reading mail (IMAP)" : "Reading mail (POP3)", server: reading },
    { label: "Sending mail (SMTP)", server: smtp[0] },
  ];
  return (
    <table className={classes.settings}>
      <thead>
        <tr>
          {["For", "Server", "Port", "Security"].map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(
          ({ label, server }) =>
            server && (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td className={classes.mono}>{server.host}</td>
                <td className={classes.mono}>{server.port}</td>
                <td>{SECURITY[server.tls]}</td>
              </tr>
            ),
        )}
      </tbody>
    </table>
  );
}
