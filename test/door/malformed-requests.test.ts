import { getCurrentUser } from '../../functions/users/contracts.ts';
import { pathOf } from '../harness/client.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { useService } from '../harness/service.ts';
import type { Actor } from '../harness/world.ts';
import { itRefusesMalformedBytes } from '../requests/malformed-bytes.ts';

const service = useService({ hasDoor: true });
let admin: Actor;

beforeAll(async () => {
  admin = await service.world.systemAdmin();
});

describe('A door, as the API behind it,', () => {
  itRefusesMalformedBytes(service, () => admin.bearer);

  itAnswers('401 UNAUTHENTICATED for a credential that the client itself calls one of its connection', async () =>
    service.client.pipeline(
      `GET ${pathOf(getCurrentUser)} HTTP/1.1\r\nHost: x\r\nConnection: authorization\r\nAuthorization: ${admin.bearer}\r\n\r\n`,
    ),
  );
});
