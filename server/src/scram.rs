//! SCRAM-SHA-256, the server's side of RFC 5802 and RFC 7677, without channel binding: what a client has to say to be let in.
//!
//! 1. The client says a nonce; the server answers with both nonces, the salt, and how often the password is hashed.
//! 2. The client proves that it knows the password; the server that it knows what it is checked by.
//!
//! The user's name is that of the first packet: what the client says here does not count, as in PostgreSQL.

use crate::fault::{Fault, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use multiloop::Verifier;

/// What clients call it.
pub(crate) const MECHANISM: &str = "SCRAM-SHA-256";

/// Bytes of the server's nonce.
const NONCE: usize = 18;

/// An exchange whose first half is over.
pub(crate) struct Exchange {
    /// The client's words about channel binding, which it has to say again.
    binding: String,
    /// Of both.
    nonce: String,
    /// All that counts of what was said so far.
    said: String,
    verifier: Verifier,
}

impl Exchange {
    /// Answers what the client says first.
    ///
    /// Errors, which end the connection: 08P01 for what is no such message, 0A000 for channel binding.
    pub(crate) fn begin(first: &str, verifier: Verifier) -> Result<(Self, String)> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(|error| Fault::fatal("XX000", format!("no randomness: {error}")))?;
        Exchange::begin_with(first, verifier, &STANDARD.encode(nonce))
    }

    fn begin_with(first: &str, verifier: Verifier, own: &str) -> Result<(Self, String)> {
        let malformed = || Fault::fatal("08P01", "malformed SCRAM message");
        // A client that could bind, but was told that nobody can, says y.
        let (flag, rest) = first.split_once(',').ok_or_else(malformed)?;
        match flag {
            "n" | "y" => {}
            flag if flag.starts_with("p=") => {
                return Err(Fault::fatal("0A000", "channel binding is not supported"));
            }
            _ => return Err(malformed()),
        }
        let (identity, bare) = rest.split_once(',').ok_or_else(malformed)?;
        if !identity.is_empty() {
            return Err(Fault::fatal("0A000", "client uses authorization identity, but it is not supported"));
        }
        if bare.starts_with("m=") {
            return Err(Fault::fatal("0A000", "client requires an unsupported SCRAM extension"));
        }
        let mut parts = bare.split(',');
        let _user = parts.next().filter(|part| part.starts_with("n=")).ok_or_else(malformed)?;
        let theirs = parts.next().and_then(|part| part.strip_prefix("r=")).ok_or_else(malformed)?;
        if theirs.is_empty() || !theirs.bytes().all(|byte| (0x21..=0x7e).contains(&byte)) {
            return Err(malformed());
        }
        let nonce = format!("{theirs}{own}");
        let answer = format!("r={nonce},s={},i={}", STANDARD.encode(verifier.salt()), verifier.iterations());
        let said = format!("{bare},{answer}");
        Ok((Exchange { binding: format!("{flag},,"), nonce, said, verifier }, answer))
    }

    /// Whether what the client says last proves that it knows the password; the answer proves that the server knows it, too.
    ///
    /// Errors: 08P01 for what is no such message.
    pub(crate) fn finish(self, last: &str) -> Result<Option<String>> {
        let malformed = || Fault::fatal("08P01", "malformed SCRAM message");
        let (without_proof, proof) = last.rsplit_once(",p=").ok_or_else(malformed)?;
        let mut parts = without_proof.split(',');
        let binding = parts.next().and_then(|part| part.strip_prefix("c=")).ok_or_else(malformed)?;
        let nonce = parts.next().and_then(|part| part.strip_prefix("r=")).ok_or_else(malformed)?;
        if binding != STANDARD.encode(&self.binding) || nonce != self.nonce {
            return Err(malformed());
        }
        let proof = STANDARD.decode(proof).map_err(|_| malformed())?;
        let said = format!("{},{without_proof}", self.said);
        let signature = self.verifier.check(said.as_bytes(), &proof);
        Ok(signature.map(|signature| format!("v={}", STANDARD.encode(signature))))
    }
}

#[cfg(test)]
mod tests {
    use super::Exchange;
    use multiloop::Verifier;

    /// RFC 7677's example: the verifier of "pencil" with its salt, and what is said.
    const VERIFIER: &str = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$\
        WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=";
    const FIRST: &str = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
    const OWN: &str = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    const LAST: &str = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
        p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";

    fn begun(first: &str) -> Result<(Exchange, String), &'static str> {
        let verifier: Verifier = VERIFIER.parse().expect("it is one");
        Exchange::begin_with(first, verifier, OWN).map_err(|fault| fault.code)
    }

    #[test]
    fn the_exchange_of_the_standard() {
        let (exchange, answer) = begun(FIRST).expect("it is well-formed");
        let expected = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
        assert_eq!(answer, expected);
        let last = exchange.finish(LAST).map_err(|fault| fault.code);
        assert_eq!(last, Ok(Some("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=".to_owned())));
    }

    #[test]
    fn who_does_not_know_the_password_is_told_so() {
        let wrong = LAST.replace("p=dHz", "p=eHz");
        assert_eq!(begun(FIRST).expect("it is well-formed").0.finish(&wrong).map_err(|fault| fault.code), Ok(None));
        let short = LAST.replace("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=", "");
        assert_eq!(begun(FIRST).expect("it is well-formed").0.finish(&short).map_err(|fault| fault.code), Ok(None));
    }

    #[test]
    fn what_is_malformed_ends_it() {
        for first in ["", "n", "n,", "n,,", "n,,n=u", "n,,r=x", "n,,n=u,r=", "x,,n=u,r=a", "n,,n=u,r=a\u{7f}"] {
            assert_eq!(begun(first).map(drop), Err("08P01"), "{first}");
        }
        for first in ["p=tls-unique,,n=u,r=a", "n,a=me,n=u,r=a", "n,,m=x,n=u,r=a"] {
            assert_eq!(begun(first).map(drop), Err("0A000"), "{first}");
        }
        for last in [
            "",
            "c=biws",
            "c=biws,r=rOprNGfwEbeRWgbNEkqO,p=AAAA",
            // Another nonce, other words about binding, no base64.
            &LAST.replace("k0,", "k1,"),
            &LAST.replace("c=biws", "c=eSws"),
            &LAST.replace("p=dHz", "p=!!!"),
        ] {
            let exchange = begun(FIRST).expect("it is well-formed").0;
            assert_eq!(exchange.finish(last).map_err(|fault| fault.code), Err("08P01"), "{last}");
        }
    }
}
