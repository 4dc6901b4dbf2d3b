import { Agent } from 'node:http';
import { Duplex } from 'node:stream';

/** Returns the body of the answer to a request body and operation. */
export type Answers = (operation: string, body: string) => string;

/** The table's end of a connection, without a network: it answers every HTTP request at once. */
class StubSocket extends Duplex {
  private received = '';
  private readonly answers: Answers;

  constructor(answers: Answers) {
    super();
    this.answers = answers;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.received += chunk.toString('latin1');
    const end = this.received.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(this.received)?.[1] ?? 0);
    if (end >= 0 && this.received.length >= end + 4 + length) {
      const operation = /x-amz-target: DynamoDB_20120810\.(\w+)/i.exec(this.received)?.[1] ?? '';
      const body = Buffer.from(this.answers(operation, this.received.slice(end + 4)));
      this.received = '';
      const head = `HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: ${body.length}\r\n\r\n`;
      this.push(Buffer.concat([Buffer.from(head), body]));
    }
    done();
  }

  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

/** Connects every HTTP connection of this process to the stub. */
export const stubConnections = (answers: Answers): void => {
  Object.assign(Agent.prototype, { createConnection: () => new StubSocket(answers) });
};
