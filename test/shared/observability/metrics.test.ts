import { isDenial } from '../../../shared/observability/metrics.ts';

const errorNamed = (name: string): Error => Object.assign(new Error('no'), { name });

describe('A denial by AWS, of which one is enough for the alarm,', () => {
  it.each(['AccessDeniedException', 'DisabledException', 'KMSInvalidStateException', 'KeyUnavailableException'])(
    'is %s',
    (name) => {
      expect(isDenial(errorNamed(name))).toBe(true);
    },
  );

  it.each(['ThrottlingException', 'InternalServerError', 'InvalidCiphertextException', 'Error'])(
    'is not %s',
    (name) => {
      expect(isDenial(errorNamed(name))).toBe(false);
      expect(isDenial(name)).toBe(false);
    },
  );
});
