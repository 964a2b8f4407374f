import Link from "next/link";

import classes from "./page-failure.module.css";
import { DoorLayout } from "./ui/door-layout.tsx";

/** In place of a page that is not there. It comes with every page, and is made of plain elements for that. */
export function NoSuchPage({ home, to }: { home: string; to: string }) {
  return (
    <DoorLayout>
      <div className={classes.words}>
        <h1>There is no such page</h1>
        <p>The address may be mistyped, or the page has moved.</p>
        <div className={classes.acts}>
          <Link href={home}>{to}</Link>
        </div>
      </div>
    </DoorLayout>
  );
}
