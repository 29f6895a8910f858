fn main() {
    contract_lang::Build::new().contract("contracts/records.yaml").compile();
}
