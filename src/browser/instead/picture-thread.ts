import { HttpRefusal } from "../../http/calls/refusals.ts";
import { say } from "../../text/message.ts";

/** A tab has no decoder of pictures. */
export class PictureThread {
  read(): never {
    throw new HttpRefusal(
      422,
      "NOT_PROCESSABLE",
      say`Pictures cannot be read here. Paste the code of the picture.`,
    );
  }
}
