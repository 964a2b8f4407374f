import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { fetchSetUps, type SetUp, SHEETS_MAX } from "#app/console/(pages)/mailboxes/queries.ts";
import { meQuery } from "#app/console/session.ts";
import { CodeBlock, QrCode } from "#app/console/ui/code.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { useLeaveGuard } from "#app/console/ui/leave-guard.ts";
import { PrintedPage } from "#app/console/ui/printed-page.tsx";
import { withElements } from "#app/console/ui/texts.tsx";
import { fillText } from "#server/universal/texts/format-text.ts";

import { passwordsCsv } from "./passwords-csv.ts";
import classes from "./welcome-sheet.module.css";

const SECURITY = { implicit: "SSL/TLS", starttls: "STARTTLS" } as const;

/** Returns the texts of a sheet, which is in the mailbox user's language. */
const sheetTexts =
  ({ texts, language }: SetUp) =>
  (key: keyof SetUp["texts"], values: Record<string, string> = {}) =>
    fillText(texts[key], language, values);

type WelcomeSheetProps = { setUp: SetUp; password: string; company: string };

/** One printed page with sign-in and setup instructions. */
function WelcomeSheet({ setUp, password, company }: WelcomeSheetProps) {
  const text = sheetTexts(setUp);
  return (
    <article
      className={classes.sheet}
      lang={setUp.language}
      aria-label={text("label", { address: setUp.id })}
    >
      <header className={classes.head}>
        <p className={classes.company}>{company}</p>
        <h1 className={classes.title}>{text("title")}</h1>
        <p>{text("welcome", { name: setUp.name })}</p>
      </header>
      <dl className={classes.access}>
        <dt>{text("address")}</dt>
        <dd className={classes.mono}>{setUp.id}</dd>
        <dt>{text("password")}</dt>
        <dd className={classes.password}>{password}</dd>
      </dl>
      <ol className={classes.steps}>
        <li>
          <h2>{text("signIn")}</h2>
          <p>
            {withElements(setUp.texts["signIn.text"], setUp.language, {
              url: <strong className={classes.mono}>{setUp.accountUrl}</strong>,
            })}
          </p>
        </li>
        <li className={classes.phone}>
          <div>
            <h2>{text("connect")}</h2>
            <p>{text("connect.text")}</p>
          </div>
          <QrCode qr={setUp.qr} url={setUp.phoneUrl} label={text("qr")} />
        </li>
      </ol>
      <ServerSettings setUp={setUp} />
      <footer className={classes.foot}>{text("foot")}</footer>
    </article>
  );
}

/** The preferred server for each purpose; POP3 only without IMAP. */
function ServerSettings({ setUp }: { setUp: SetUp }) {
  const text = sheetTexts(setUp);
  const { imap, pop3, smtp, dav } = setUp;
  const reading = imap[0] ?? pop3[0];
  const rows = [
    { label: text(imap[0] ? "imap" : "pop3"), server: reading },
    { label: text("smtp"), server: smtp[0] },
    { label: text("dav"), server: dav[0] },
  ];
  return (
    <table className={classes.settings}>
      <thead>
        <tr>
          {(["for", "server", "port", "security"] as const).map((head) => (
            <th key={head} scope="col">
              {text(head)}
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

type NewCredentials = { address: string; password: string };

type PrintWelcomeSheetsProps = { people: NewCredentials[]; children: string };

/**
 * Prints welcome sheets for up to 100 mailboxes. Passwords stay in the browser; only the other details
 * come from the server.
 */
export function PrintWelcomeSheets({ people, children }: PrintWelcomeSheetsProps) {
  const [setUps, setSetUps] = useState<SetUp[] | null>(null);
  const [isReading, setIsReading] = useState(false);
  const [error, setError] = useState<Error | null>(null);

  async function handleClick() {
    if (isReading) return;
    setIsReading(true);
    setError(null);
    try {
      setSetUps(await fetchSetUps(people.map(({ address }) => address)));
    } catch (failure) {
      setError(failure as Error);
    }
    setIsReading(false);
  }

  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPrinter size={14} />}
        aria-busy={isReading}
        onClick={() => void handleClick()}
      >
        {children}
      </Button>
      <FormError error={error} />
      {setUps && (
        <PrintedSheets setUps={setUps} people={people} onPrinted={() => setSetUps(null)} />
      )}
    </>
  );
}

type PrintedSheetsProps = { setUps: SetUp[]; people: NewCredentials[]; onPrinted: () => void };

function PrintedSheets({ setUps, people, onPrinted }: PrintedSheetsProps) {
  const { data: me } = useQuery(meQuery);
  const passwords = new Map(people.map(({ address, password }) => [address, password]));
  return (
    <PrintedPage onPrinted={onPrinted}>
      {setUps.map((setUp) => (
        <WelcomeSheet
          key={setUp.id}
          setUp={setUp}
          password={passwords.get(setUp.id) ?? ""}
          company={me?.company.name ?? ""}
        />
      ))}
    </PrintedPage>
  );
}

type TemporaryPasswordsProps = {
  people: (NewCredentials & { name: string })[];
  /** How long the passwords can be seen. */
  keptText?: string;
  onStored: () => void;
};

/**
 * Offers new temporary passwords as a CSV file and as welcome sheets, and shows it if there is only one. Warns before the page is left.
 */
export function TemporaryPasswords({ people, keptText, onStored }: TemporaryPasswordsProps) {
  const only = people.length === 1 ? people[0]! : null;
  const kept = keptText ?? `You won’t be able to see ${only ? "it" : "them"} again.`;
  useLeaveGuard(
    true,
    `You haven’t saved the temporary ${only ? "password" : "passwords"}. ${kept}`,
  );
  const parts = Array.from({ length: Math.ceil(people.length / SHEETS_MAX) }, (_, part) =>
    people.slice(part * SHEETS_MAX, (part + 1) * SHEETS_MAX),
  );
  return (
    <Stack gap="sm">
      <Text>
        {only
          ? `The temporary password was created. ${kept} Copy, print, or download it now.`
          : `${formatCount(people.length)} temporary passwords were created. ${kept} Print or download them now.`}
      </Text>
      {only && <CodeBlock code={only.password} label={`temporary password for ${only.address}`} />}
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<IconDownload size={14} />}
          onClick={() => void download(people)}
        >
          Download list (CSV)
        </Button>
        {parts.map((part, at) => (
          <PrintWelcomeSheets key={part[0]!.address} people={part}>
            {parts.length === 1
              ? `Print welcome ${part.length === 1 ? "sheet" : "sheets"}`
              : `Print welcome sheets ${at * SHEETS_MAX + 1} to ${at * SHEETS_MAX + part.length}`}
          </PrintWelcomeSheets>
        ))}
        <Button ml="auto" onClick={onStored}>
          I’ve saved {people.length === 1 ? "it" : "them"}
        </Button>
      </Group>
    </Stack>
  );
}

async function download(people: (NewCredentials & { name: string })[]): Promise<void> {
  const file = new Blob([await passwordsCsv(people)], { type: "text/csv;charset=utf-8" });
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = "temporary-passwords.csv";
  link.click();
  URL.revokeObjectURL(url);
}
